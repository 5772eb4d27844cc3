// Programs of the graphics card. Colours are computed in linear light and encoded at the end.

const ENCODE = `
vec3 encode(vec3 light) { return pow(clamp(light, 0.0, 1.0), vec3(1.0 / 2.2)); }
`;

// Soft light: sky above and ground below, a key light from the upper left of the viewer, a weak one from the right.
const LIGHT = `
uniform vec3 uEye, uKey, uFill, uSky, uEarth;
vec3 lit(vec3 base, vec3 normal, vec3 position, float gloss) {
  vec3 toEye = normalize(uEye - position);
  vec3 ambient = mix(uEarth, uSky, 0.5 + 0.5 * normal.z);
  float key = max(dot(normal, uKey), 0.0);
  float wrapped = 0.85 * key + 0.15 * (0.5 + 0.5 * dot(normal, uKey));
  float fill = max(dot(normal, uFill), 0.0);
  float shine = pow(max(dot(normal, normalize(uKey + toEye)), 0.0), 48.0);
  return base * (ambient + 0.72 * wrapped + 0.16 * fill) + gloss * shine;
}
`;

const SHADERS = {
  surface: {
    vertex: `
in vec3 aPosition;
in vec3 aNormal;
uniform mat4 uModel, uViewProjection;
out vec3 vPosition, vNormal;
invariant gl_Position;
void main() {
  vec4 world = uModel * vec4(aPosition, 1.0);
  vPosition = world.xyz;
  vNormal = mat3(uModel) * aNormal;
  gl_Position = uViewProjection * world;
}`,
    fragment: `
in vec3 vPosition, vNormal;
uniform vec3 uColour, uBack;
uniform float uAlpha, uGloss;
out vec4 colour;
${LIGHT}${ENCODE}
void main() {
  vec3 facet = cross(dFdx(vPosition), dFdy(vPosition));
  float size = length(vNormal);
  vec3 normal = size > 0.1 ? vNormal / size : normalize(facet);
  bool front = gl_FrontFacing;
  if (!front) normal = -normal;
  vec3 light = lit(front ? uColour : uBack, normal, vPosition, uGloss);
  // Glass is denser where one looks along it: silhouettes stay clear however transparent a body is.
  float edge = pow(1.0 - abs(dot(normal, normalize(uEye - vPosition))), 2.5);
  float alpha = mix(uAlpha, min(1.0, uAlpha + 0.55), edge * step(uAlpha, 0.99));
  colour = vec4(encode(light), alpha);
}`,
  },

  patch: {
    vertex: `
in vec3 aPosition;
in vec3 aValues;
uniform mat4 uModel, uViewProjection;
uniform vec3 uQuantity;
uniform float uSize, uStretch;
out vec3 vPosition;
flat out float vValue;
void main() {
  vec4 world = uModel * vec4(aPosition * uSize, 1.0);
  vPosition = world.xyz;
  vValue = clamp(dot(aValues, uQuantity) * uStretch, 0.0, 1.0);
  gl_Position = uViewProjection * world;
}`,
    fragment: `
in vec3 vPosition;
flat in float vValue;
uniform sampler2D uScale;
uniform float uAlpha;
uniform vec3 uEye;
out vec4 colour;
void main() {
  vec3 normal = normalize(cross(dFdx(vPosition), dFdy(vPosition)));
  // Little shading: the colour is the message, and it must match the legend.
  float shade = 0.9 + 0.1 * abs(dot(normal, normalize(uEye - vPosition)));
  vec3 tone = texture(uScale, vec2((vValue * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  colour = vec4(tone * shade, uAlpha);
}`,
  },

  // A segment is drawn as a quad of constant width in pixels; the vertices 0 to 3 are its corners.
  line: {
    vertex: `
in vec3 aStart;
in vec3 aEnd;
uniform mat4 uModel, uViewProjection;
uniform vec2 uViewport;
uniform float uWidth, uSize, uLift, uRoom, uPixels;
out float vAcross, vWidth, vFade;
void main() {
  vec4 p = uViewProjection * uModel * vec4(aStart * uSize, 1.0);
  vec4 q = uViewProjection * uModel * vec4(aEnd * uSize, 1.0);
  // A segment that reaches behind the eye is cut just in front of it.
  float least = 1e-3 * max(abs(p.w), abs(q.w));
  if (p.w < least && q.w > least) p = mix(q, p, (q.w - least) / (q.w - p.w));
  if (q.w < least && p.w > least) q = mix(p, q, (p.w - least) / (p.w - q.w));
  vec2 along = (q.xy / q.w - p.xy / p.w) * uViewport;
  float size = length(along);
  along = size > 1e-6 ? along / size : vec2(1.0, 0.0);
  float side = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
  vec4 end = gl_VertexID < 2 ? p : q;
  // No wider than the room it has in the world, m, as it is seen from here; what is thinner than a hair fades.
  float room = uRoom > 0.0 ? uRoom * uPixels / max(end.w, 1e-9) : uWidth;
  vWidth = clamp(room, 0.6, uWidth);
  vFade = clamp(room / 0.6, 0.0, 1.0);
  float half_ = 0.5 * vWidth + 0.75;
  vec2 cap = along * (gl_VertexID < 2 ? -0.4 : 0.4) * vWidth;
  end.xy += (vec2(-along.y, along.x) * side * half_ + cap) * 2.0 / uViewport * end.w;
  end.z -= uLift * end.w;
  vAcross = side * half_;
  gl_Position = end;
}`,
    fragment: `
in float vAcross, vWidth, vFade;
uniform vec3 uColour;
uniform float uAlpha;
out vec4 colour;
${ENCODE}
void main() {
  float cover = clamp(0.5 * vWidth + 0.5 - abs(vAcross), 0.0, 1.0) * vFade;
  if (cover <= 0.0) discard;
  colour = vec4(encode(uColour), uAlpha * cover);
}`,
  },

  point: {
    vertex: `
in vec3 aPosition;
uniform mat4 uModel, uViewProjection;
uniform float uWidth, uLift;
void main() {
  gl_Position = uViewProjection * uModel * vec4(aPosition, 1.0);
  gl_Position.z -= uLift * gl_Position.w;
  gl_PointSize = uWidth;
}`,
    fragment: `
uniform vec3 uColour;
uniform float uAlpha, uWidth;
out vec4 colour;
${ENCODE}
void main() {
  float r = length(gl_PointCoord - 0.5) * uWidth;
  float cover = clamp(0.5 * uWidth - r, 0.0, 1.0);
  if (cover <= 0.0) discard;
  // A pale rim keeps points apart from what is behind them.
  vec3 tone = mix(encode(uColour), vec3(1.0), 0.8 * smoothstep(0.5 * uWidth - 2.2, 0.5 * uWidth - 1.2, r));
  colour = vec4(tone, uAlpha * cover);
}`,
  },

  // An arrow along +z of length 1: aPosition.xy in shaft radii, z along it; the head keeps its shape.
  arrow: {
    vertex: `
in vec3 aPosition;
in vec3 aNormal;
in float aHead;
in vec3 aFoot;
in vec3 aVector;
uniform mat4 uViewProjection;
uniform float uRadius;
out vec3 vPosition, vNormal;
void main() {
  float size = length(aVector);
  vec3 z = aVector / max(size, 1e-20);
  vec3 x = normalize(abs(z.z) < 0.9 ? cross(z, vec3(0, 0, 1)) : cross(z, vec3(1, 0, 0)));
  vec3 y = cross(z, x);
  float radius = min(uRadius, size / 14.0);
  float head = 7.0 * radius;
  float along = aHead > 0.5 ? size - head + head * aPosition.z : (size - head) * aPosition.z;
  vec3 world = aFoot + (x * aPosition.x + y * aPosition.y) * radius + z * along;
  vPosition = world;
  vNormal = x * aNormal.x + y * aNormal.y + z * aNormal.z;
  gl_Position = uViewProjection * vec4(world, 1.0);
}`,
    fragment: `
in vec3 vPosition, vNormal;
uniform vec3 uColour;
uniform float uAlpha;
out vec4 colour;
${LIGHT}${ENCODE}
void main() { colour = vec4(encode(lit(uColour, normalize(vNormal), vPosition, 0.15)), uAlpha); }`,
  },

  // What the bodies darken on the ground: they are flattened onto it.
  shadow: {
    vertex: `
in vec3 aPosition;
uniform mat4 uModel, uViewProjection;
uniform float uGround;
uniform vec3 uSun;
void main() {
  vec3 world = (uModel * vec4(aPosition, 1.0)).xyz;
  world -= uSun * ((world.z - uGround) / uSun.z);
  gl_Position = uViewProjection * vec4(world.xy, uGround, 1.0);
}`,
    fragment: `
uniform float uAlpha;
out vec4 colour;
void main() { colour = vec4(0.0, 0.0, 0.0, uAlpha); }`,
  },

  ground: {
    vertex: `
uniform mat4 uViewProjection;
uniform float uGround, uReach;
uniform vec2 uMiddle;
out vec2 vPlace;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  vPlace = uMiddle + corner * uReach;
  gl_Position = uViewProjection * vec4(vPlace, uGround, 1.0);
}`,
    fragment: `
in vec2 vPlace;
uniform vec2 uMiddle, uOrigin;
uniform float uStep, uReach, uAlpha;
uniform vec3 uColour;
out vec4 colour;
${ENCODE}
float net(float step_) {
  vec2 at = (vPlace + uOrigin) / step_;
  vec2 width = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / width;
  float line = 1.0 - min(min(near.x, near.y), 1.0);
  return line * (1.0 - smoothstep(0.2, 0.6, max(width.x, width.y)));
}
void main() {
  float fade = 1.0 - smoothstep(0.35, 1.0, length(vPlace - uMiddle) / uReach);
  float alpha = max(0.45 * net(uStep), net(5.0 * uStep)) * fade * uAlpha;
  if (alpha < 0.003) discard;
  colour = vec4(encode(uColour), alpha);
}`,
  },

  sky: {
    vertex: `
out float vHeight;
void main() {
  vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0;
  vHeight = 0.5 + 0.5 * corner.y;
  gl_Position = vec4(corner, 1.0, 1.0);
}`,
    fragment: `
in float vHeight;
uniform vec3 uTop, uBottom;
out vec4 colour;
void main() {
  // A little noise hides the steps of eight bits in a slow gradient.
  float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) / 255.0;
  colour = vec4(mix(uBottom, uTop, smoothstep(0.0, 1.0, vHeight)) + noise, 1.0);
}`,
  },
};
