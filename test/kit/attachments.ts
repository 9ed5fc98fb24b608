/** Small files of each kind that can be attached, made here: images of any size, a PDF file, a sound. */
import { crc32, deflateSync } from "node:zlib"

const chunk = (type: string, data: Uint8Array) => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** One colour, RGB. `data: false` leaves out the pixels, so that a header can promise any size. */
export const png = (width = 16, height = 16, colour: readonly [number, number, number] = [200, 0, 0], data = true) => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const row = Buffer.concat([
    Buffer.from([0]),
    Buffer.concat(Array.from({ length: data ? width : 0 }, () => Buffer.from(colour)))
  ])
  const pixels = data ? deflateSync(Buffer.concat(Array.from({ length: height }, () => row))) : Buffer.alloc(0)
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1")
  return new Uint8Array(
    Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))])
  )
}

const fromBase64 = (text: string) => new Uint8Array(Buffer.from(text, "base64"))

/** 1×1. */
export const gif = fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
/** 1×1. */
export const webp = fromBase64("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=")
/** 8×8, grey: one block of one component, whose codes are one bit each. */
export const jpeg = (() => {
  const segment = (marker: number, ...bytes: ReadonlyArray<number>) => [0xff, marker, 0, bytes.length + 2, ...bytes]
  const oneCode = (table: number) => segment(0xc4, table, 1, ...Array.from({ length: 15 }, () => 0), 0)
  return Uint8Array.from([
    ...[0xff, 0xd8],
    ...segment(0xe0, ...Buffer.from("JFIF\0"), 1, 1, 0, 0, 1, 0, 1, 0, 0),
    ...segment(0xdb, 0, ...Array.from({ length: 64 }, () => 1)),
    ...segment(0xc0, 8, 0, 8, 0, 8, 1, 1, 0x11, 0),
    ...oneCode(0x00),
    ...oneCode(0x10),
    ...segment(0xda, 1, 1, 0, 0, 63, 0),
    ...[0x3f, 0xff, 0xd9]
  ])
})()

export const pdf = new Uint8Array(
  Buffer.from(
    [
      "%PDF-1.4",
      "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj",
      "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj",
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>endobj",
      "trailer<</Root 1 0 R>>",
      "%%EOF\n"
    ].join("\n")
  )
)

/** A tenth of a second of silence. */
export const wav = (() => {
  const samples = Buffer.alloc(1600)
  const header = Buffer.alloc(44)
  header.write("RIFF", 0, "latin1")
  header.writeUInt32LE(36 + samples.length, 4)
  header.write("WAVEfmt ", 8, "latin1")
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(8000, 24)
  header.writeUInt32LE(16000, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write("data", 36, "latin1")
  header.writeUInt32LE(samples.length, 40)
  return new Uint8Array(Buffer.concat([header, samples]))
})()

export const text = new TextEncoder().encode("Ein Gruß an alle.\n")
