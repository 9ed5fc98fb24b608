/** Protobuf enough to read OTLP: a message as its fields by number, each with its values in order. */

export interface Message {
  /** For each length-delimited field: its bytes. */
  readonly bytes: (field: number) => ReadonlyArray<Uint8Array>
  /** For each varint, fixed32 or fixed64 field. */
  readonly numbers: (field: number) => ReadonlyArray<bigint>
}

/** Throws for what is not protobuf. */
export const readMessage = (data: Uint8Array): Message => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const fields: Array<readonly [number, Uint8Array | bigint]> = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = data[at]
      if (byte === undefined) throw new Error("a varint is cut off")
      at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new Error("a varint is longer than 10 bytes")
  }
  const take = (length: number) => {
    if (at + length > data.length) throw new Error("a field is cut off")
    at += length
    return at - length
  }
  const read = (wireType: number): Uint8Array | bigint => {
    if (wireType === 0) return varint()
    if (wireType === 1) return view.getBigUint64(take(8), true)
    if (wireType === 5) return BigInt(view.getUint32(take(4), true))
    if (wireType !== 2) throw new Error(`wire type ${wireType}`)
    const length = Number(varint())
    const from = take(length)
    return data.subarray(from, from + length)
  }
  while (at < data.length) {
    const tag = Number(varint())
    fields.push([tag >> 3, read(tag & 7)])
  }
  const of = (field: number) => fields.flatMap(([number, value]) => (number === field ? [value] : []))
  return {
    bytes: (field) => of(field).filter((value) => typeof value !== "bigint"),
    numbers: (field) => of(field).filter((value) => typeof value === "bigint")
  }
}

export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** A double that was read as fixed64. */
export const doubleOf = (bits: bigint): number => new Float64Array(BigUint64Array.of(bits).buffer)[0] ?? 0
