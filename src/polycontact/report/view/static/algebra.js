// Vectors are arrays of three numbers; matrices are 16 numbers, column by column, as WebGL wants them.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scaled(a, 1 / (length(a) || 1));
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

function multiply(a, b) {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column++)
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  return out;
}

function perspective(fieldOfView, aspect, near, far) {
  const f = 1 / Math.tan(fieldOfView / 2);
  return new Float32Array([
    f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0,
  ]);
}

// Axes of a camera at `eye`: right, up, and backwards.
function lookingAt(eye, right, up, back) {
  return new Float32Array([
    right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
  ]);
}

// Pose of a body: position and quaternion (w, x, y, z).
function poseMatrix(p, q) {
  const [w, x, y, z] = q;
  return new Float32Array([
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0,
    p[0], p[1], p[2], 1,
  ]);
}

const IDENTITY = poseMatrix([0, 0, 0], [1, 0, 0, 0]);

const place = (m, p) => [
  m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12],
  m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13],
  m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14],
];

// The inverse of a pose, applied to a point or (w = 0) to a direction.
function unplace(m, p, w) {
  const d = [p[0] - w * m[12], p[1] - w * m[13], p[2] - w * m[14]];
  return [dot(m, d), m[4] * d[0] + m[5] * d[1] + m[6] * d[2], m[8] * d[0] + m[9] * d[1] + m[10] * d[2]];
}

// On the shorter way from a to b at constant speed.
function slerp(a, b, share) {
  let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = cosine < 0 ? -1 : 1;
  cosine *= sign;
  const angle = Math.acos(Math.min(1, cosine));
  const sine = Math.sin(angle);
  const first = sine > 1e-6 ? Math.sin((1 - share) * angle) / sine : 1 - share;
  const second = sign * (sine > 1e-6 ? Math.sin(share * angle) / sine : share);
  const q = [0, 1, 2, 3].map((i) => first * a[i] + second * b[i]);
  const norm = Math.hypot(...q) || 1;
  return q.map((value) => value / norm);
}

// "#rrggbb" as three numbers from 0 to 1, in which light adds up.
function lightOf(colour) {
  return [1, 3, 5].map((i) => {
    const value = parseInt(colour.slice(i, i + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}
