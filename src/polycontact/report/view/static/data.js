// The scene, as packing.py has put it into the page: base64 of gzip of a JSON text and arrays.

const ARRAY_TYPES = {
  f32: Float32Array, u32: Uint32Array, i16: Int16Array, u16: Uint16Array, i8: Int8Array, u8: Uint8Array,
};

async function loadScene() {
  const element = document.getElementById("data");
  const text = atob(element.textContent.trim());
  element.remove();
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  return unpack(packed);
}

// Compressed bytes, as byte_store.py has made them, as an object with arrays.
async function unpack(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  const jsonBytes = new DataView(buffer).getUint32(0, true);
  const json = new TextDecoder().decode(new Uint8Array(buffer, 4, jsonBytes));
  const start = 4 + jsonBytes;
  return JSON.parse(json, (_, value) =>
    value && value.type in ARRAY_TYPES && "at" in value
      ? new ARRAY_TYPES[value.type](buffer, start + value.at, value.n)
      : value,
  );
}
