/** The body of a request, read on demand, and never held if it is too long. */

export const chunksOf = async function* (request: Request): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader()
  if (reader === undefined) return
  try {
    while (true) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Returns undefined if it is longer than `most` bytes. `onChunk` may throw. */
export const bytesOf = async (
  request: Request,
  most: number,
  onChunk: (bytes: number) => void = () => {}
): Promise<Buffer | undefined> => {
  if (Number(request.headers.get("content-length") ?? 0) > most) return undefined
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of chunksOf(request)) {
    bytes += chunk.length
    if (bytes > most) return undefined
    onChunk(chunk.length)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
