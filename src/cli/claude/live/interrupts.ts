/**
 * Whether the turn under way was asked to end. An interrupt that comes before its turn has begun can miss it: the CLI
 * then names the turn among what is still queued, and it is interrupted again when it begins (2.1.328).
 */
export interface Interrupts {
  /** Gives whether that is news: one is enough. */
  readonly ask: () => boolean
  /** The turn will end by something else that was said. */
  readonly expect: () => void
  readonly answered: (isGranted: boolean, stillQueued: string | undefined) => void
  readonly isDue: (uuid: string) => boolean
  /** A turn is over, and the one that was meant may still be to come. Gives whether an end was asked for. */
  readonly ended: (isWaited: boolean) => boolean
}

export const makeInterrupts = (): Interrupts => {
  let isAsked = false
  let isExpected = false
  let missed: string | undefined

  return {
    ask: () => {
      const isNews = !isAsked
      isAsked = true
      return isNews
    },
    expect: () => {
      isExpected = true
    },
    answered: (isGranted, stillQueued) => {
      if (!isGranted) isAsked = false
      if (isAsked) missed = stillQueued
    },
    isDue: (uuid) => {
      const isDue = isAsked && missed === uuid
      if (isDue) missed = undefined
      return isDue
    },
    ended: (isWaited) => {
      const wasAsked = isAsked || isExpected
      isExpected = false
      isAsked = isAsked && isWaited && missed !== undefined
      if (!isAsked) missed = undefined
      return wasAsked
    }
  }
}
