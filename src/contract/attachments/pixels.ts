/** Width × height of an image, as its header says; pure. A small file can hold an image that takes gigabytes to decode. */

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const pngPixels = (view: DataView) => view.getUint32(16) * view.getUint32(20)

const gifPixels = (view: DataView) => view.getUint16(6, true) * view.getUint16(8, true)

/** Frame headers; the other markers of their range are tables (C4, CC) and an extension (C8). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Segment by segment, to the header of the first frame. */
const jpegPixels = (view: DataView) => {
  let at = 2
  while (at < view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (isFrame(marker)) return view.getUint16(at + 5) * view.getUint16(at + 7)
    // Fill bytes, and markers without a segment.
    if (marker === 0xff) at += 1
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

const uint24 = (view: DataView, at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000

const webpPixels = (view: DataView) => {
  const format = view.getUint8(15)
  // "VP8X": extended; "VP8L": lossless; "VP8 ": lossy.
  if (format === 0x58) return (uint24(view, 24) + 1) * (uint24(view, 27) + 1)
  if (format === 0x20) return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff)
  if (format !== 0x4c) return undefined
  const sizes = view.getUint32(21, true)
  return ((sizes & 0x3fff) + 1) * (((sizes >>> 14) & 0x3fff) + 1)
}

const readers: Readonly<Record<string, (view: DataView) => number | undefined>> = {
  "image/png": pngPixels,
  "image/jpeg": jpegPixels,
  "image/gif": gifPixels,
  "image/webp": webpPixels
}

/** Undefined for an image whose header is damaged or cut off. */
export const pixelsOf = (mediaType: string, bytes: Uint8Array): number | undefined => {
  try {
    const pixels = readers[mediaType]?.(viewOf(bytes))
    return pixels === 0 ? undefined : pixels
  } catch {
    // Reading beyond the end throws.
    return undefined
  }
}
