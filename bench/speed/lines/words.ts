/** Texts of the model and output of tools: the same every time, of the usual length of deltas and outputs. */

const vocabulary =
  "the reader takes each line as it comes and keeps what was said — a test shows that nothing is lost or told twice".split(
    " "
  )

/** Gives the next delta: two or three words, as the model's own come. */
export type Say = () => string

export const makeSay = (): Say => {
  let count = 0
  const word = () => vocabulary[count++ % vocabulary.length] ?? ""
  return () => `${word()} ${word()} ${count % 3 === 0 ? `${word()}, ` : ""}`
}

/** About 1 KB, with what JSON has to escape. */
export const toolOutput = (call: number): string =>
  Array.from(
    { length: 16 },
    (_, line) => `src/part-${call}/file-${line}.ts:${line * 7}:  expect("value ${line}").toBe(true)`
  ).join("\n")
