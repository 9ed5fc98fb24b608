/** Frames of RFC 6455 as a server reads and writes them: a client's are masked, a server's are not. Pure. */
import { isUtf8 } from "node:buffer"

export const opcodes = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const

/** A frame of a client, unmasked. */
export interface Frame {
  readonly isLast: boolean
  readonly opcode: number
  readonly payload: Buffer
}

/** A client broke the protocol: the close code that it gets for that. */
export class ProtocolError extends Error {
  readonly code: number
  constructor(code: number, reason: string) {
    super(reason)
    this.code = code
  }
}

const broken = (reason: string) => new ProtocolError(1002, reason)
const isControl = (opcode: number) => opcode >= opcodes.close
const known: ReadonlySet<number> = new Set(Object.values(opcodes))

/** Length of the payload, and where the mask begins; undefined if the header is not complete. */
const lengthOf = (bytes: Buffer): { readonly length: number; readonly at: number } | undefined => {
  const short = (bytes[1] ?? 0) & 0x7f
  if (short < 126) return { length: short, at: 2 }
  if (short === 126) return bytes.length < 4 ? undefined : { length: bytes.readUInt16BE(2), at: 4 }
  return bytes.length < 10 ? undefined : { length: Number(bytes.readBigUInt64BE(2)), at: 10 }
}

/** The first frame of the bytes, and the bytes behind it; undefined if it is not complete. Throws a `ProtocolError`. */
export const readFrame = (
  bytes: Buffer,
  mostBytes: number
): { readonly frame: Frame; readonly rest: Buffer } | undefined => {
  const [first, second] = bytes
  if (first === undefined || second === undefined) return undefined
  const [isLast, opcode] = [(first & 0x80) !== 0, first & 0x0f]
  if ((first & 0x70) !== 0) throw broken("reserved bits without an extension")
  if (!known.has(opcode)) throw broken(`unknown opcode ${opcode}`)
  if ((second & 0x80) === 0) throw broken("a client's frame is not masked")
  if (isControl(opcode) && (!isLast || (second & 0x7f) > 125)) throw broken("a control frame is long or in fragments")
  const found = lengthOf(bytes)
  if (found === undefined) return undefined
  const { length, at } = found
  if (length > mostBytes) throw new ProtocolError(1009, `a message has more than ${mostBytes} bytes`)
  const start = at + 4
  if (bytes.length < start + length) return undefined
  const mask = bytes.subarray(at, start)
  const payload = Buffer.from(bytes.subarray(start, start + length))
  for (const [index, byte] of payload.entries()) payload[index] = byte ^ (mask[index % 4] ?? 0)
  return { frame: { isLast, opcode, payload }, rest: bytes.subarray(start + length) }
}

/** A server's frame. */
export const writeFrame = (opcode: number, payload: Buffer, isLast = true): Buffer => {
  const { length } = payload
  const size = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const header = Buffer.alloc(size)
  header[0] = (isLast ? 0x80 : 0) | opcode
  header[1] = size === 2 ? length : size === 4 ? 126 : 127
  if (size === 4) header.writeUInt16BE(length, 2)
  if (size === 10) header.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([header, payload])
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

export const textOf = (payload: Buffer): string => {
  if (!isUtf8(payload)) throw new ProtocolError(1007, "a text is not UTF-8")
  return decoder.decode(payload)
}

/** The code and reason of a close frame; 1005 without. */
export const closeOf = (payload: Buffer): { readonly code: number; readonly reason: string } => {
  if (payload.length === 0) return { code: 1005, reason: "" }
  const code = payload.length < 2 ? 0 : payload.readUInt16BE(0)
  const isValid = (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)
  if (!isValid) throw broken("a close frame without a valid code")
  return { code, reason: textOf(payload.subarray(2)) }
}

export const closePayload = (code: number, reason: string): Buffer => {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason))
  payload.writeUInt16BE(code, 0)
  payload.write(reason, 2)
  return payload
}
