/** `(1/3)` below each of several pieces. How many digits that takes is known once the text is cut. */

const markOf = (at: number | string, of: number | string) => `\n\n(${at}/${of})`

/** `run` cuts with room for the mark; `add` puts it below a piece. One piece gets none. */
export const withNumbers = <A>(
  run: (room: string) => ReadonlyArray<A>,
  add: (piece: A, mark: string) => A
): ReadonlyArray<A> => {
  const whole = run("")
  if (whole.length < 2) return whole
  for (let digits = String(whole.length).length; ; digits++) {
    const widest = "9".repeat(digits)
    const pieces = run(markOf(widest, widest))
    if (String(pieces.length).length > digits) continue
    return pieces.length < 2 ? pieces : pieces.map((piece, at) => add(piece, markOf(at + 1, pieces.length)))
  }
}
