/**
 * Codex prints a finished message again when the connection broke behind it and the request is repeated: the same text
 * under a new id, after a "Reconnecting" line (0.169.0). This tells what was said before from what is new. Where the
 * broken answer had begun is not told, so a retry may repeat any stretch of what was said since the last tool call.
 */

export interface Replay {
  /** Gives whether the piece is new. */
  readonly isNew: (piece: string) => boolean
  /** The request is repeated: what it gave may come again. */
  readonly retry: () => void
  /** A tool was called: nothing before it comes again. */
  readonly forget: () => void
}

export const makeReplay = (): Replay => {
  /** What the model said since the last tool call, in order. */
  let pieces: Array<string> = []
  /** Where in `said` the attempt under way may stand; nowhere if it has said something new. */
  let at: ReadonlyArray<number> = []
  return {
    isNew: (piece) => {
      at = at.filter((index) => pieces[index] === piece).map((index) => index + 1)
      if (at.length > 0) return false
      pieces.push(piece)
      return true
    },
    retry: () => {
      at = pieces.map((_, index) => index)
    },
    forget: () => {
      if (pieces.length > 0) pieces = []
      at = []
    }
  }
}
