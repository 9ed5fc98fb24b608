/** Small things that all protocols print alike: pieces of a text, made-up ids, server-sent events. */

/** The deltas of a text that the script does not cut: about fifty pieces at most, of eight characters at least; never inside a character. */
export const inPieces = (words: string): ReadonlyArray<string> => {
  const characters = Array.from(words)
  const size = Math.max(8, Math.ceil(characters.length / 50))
  const count = Math.ceil(characters.length / size)
  return Array.from({ length: count }, (_, index) => characters.slice(index * size, (index + 1) * size).join(""))
}

/** For ids that are made up: of one length. */
export const padded = (serial: number): string => String(serial).padStart(4, "0")

/** One server-sent event. */
export const sse = (data: unknown, type?: string): string =>
  `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`
