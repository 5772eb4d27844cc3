// A thin layer over WebGL2: programs that know their uniforms, and vertex arrays made from lists of attributes.

class Program {
  constructor(gl, name, { vertex, fragment }) {
    this.gl = gl;
    this.handle = gl.createProgram();
    const head = "#version 300 es\nprecision highp float;\nprecision highp int;\n";
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, head + source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS))
        throw new Error(`shader ${name}: ${gl.getShaderInfoLog(shader)}`);
      gl.attachShader(this.handle, shader);
    }
    gl.linkProgram(this.handle);
    if (!gl.getProgramParameter(this.handle, gl.LINK_STATUS))
      throw new Error(`program ${name}: ${gl.getProgramInfoLog(this.handle)}`);
    this.uniforms = {};
    for (let i = 0; i < gl.getProgramParameter(this.handle, gl.ACTIVE_UNIFORMS); i++) {
      const info = gl.getActiveUniform(this.handle, i);
      this.uniforms[info.name] = { type: info.type, at: gl.getUniformLocation(this.handle, info.name) };
    }
  }

  // Values that the program does not use are left aside: several programs share one set.
  set(values) {
    const gl = this.gl;
    for (const name in values) {
      const uniform = this.uniforms[name];
      const value = values[name];
      if (!uniform || value === undefined) continue;
      if (uniform.type === gl.FLOAT) gl.uniform1f(uniform.at, value);
      else if (uniform.type === gl.FLOAT_VEC2) gl.uniform2fv(uniform.at, value);
      else if (uniform.type === gl.FLOAT_VEC3) gl.uniform3fv(uniform.at, value);
      else if (uniform.type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(uniform.at, false, value);
      else gl.uniform1i(uniform.at, value);
    }
  }

  use(...sets) {
    this.gl.useProgram(this.handle);
    for (const values of sets) this.set(values);
    return this;
  }

  attribute(name) {
    return this.gl.getAttribLocation(this.handle, name);
  }
}

function makeBuffer(gl, data, target = gl.ARRAY_BUFFER, usage = gl.STATIC_DRAW) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(target, buffer);
  gl.bufferData(target, data, usage);
  return buffer;
}

// attributes: [{name, buffer, type, size, normalized, stride, offset, divisor}]
function makeVertexArray(gl, program, attributes, indices) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  for (const item of attributes) {
    const at = program.attribute(item.name);
    if (at < 0) continue;
    gl.bindBuffer(gl.ARRAY_BUFFER, item.buffer);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(
      at, item.size ?? 3, item.type ?? gl.FLOAT, item.normalized ?? false, item.stride ?? 0, item.offset ?? 0,
    );
    if (item.divisor) gl.vertexAttribDivisor(at, item.divisor);
  }
  if (indices) gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
  gl.bindVertexArray(null);
  return array;
}

// Segments, as pairs of points in one buffer, drawn with a width.
class Segments {
  constructor(gl, program, data) {
    this.gl = gl;
    this.count = data.length / 6; // of both types: six numbers each
    this.size = data instanceof Int16Array ? 6 : 12;
    this.type = data instanceof Int16Array ? gl.SHORT : gl.FLOAT;
    this.buffer = makeBuffer(gl, data);
    this.array = gl.createVertexArray();
    this.program = program;
    this.from(0);
  }

  // WebGL has no first instance, so the attributes are pointed at it.
  from(first) {
    if (this.first === first) return;
    this.first = first;
    const gl = this.gl;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const [i, name] of ["aStart", "aEnd"].entries()) {
      const at = this.program.attribute(name);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(
        at, 3, this.type, this.type === gl.SHORT, 2 * this.size, (2 * first + i) * this.size,
      );
      gl.vertexAttribDivisor(at, 1);
    }
  }

  // Other segments of the same type.
  replace(data) {
    this.count = data.length / 6;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, data, this.gl.DYNAMIC_DRAW);
  }

  draw(first = 0, count = this.count) {
    if (!count) return;
    this.from(first);
    this.gl.bindVertexArray(this.array);
    this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, 4, count);
  }
}
