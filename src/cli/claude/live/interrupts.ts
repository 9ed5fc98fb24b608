/**
 * Tracks whether the turn under way was asked to end. An interrupt that arrives before its turn has started can miss
 * it: the CLI then lists the turn as still queued, and it is interrupted again when it starts (2.1.328).
 */
export interface Interrupts {
  /** Returns whether an interrupt has to be written: one is enough. */
  readonly ask: () => boolean
  /** The turn will end because of another answer, such as a denial that interrupts. */
  readonly expect: () => void
  readonly answered: (isGranted: boolean, stillQueued: string | undefined) => void
  readonly isDue: (uuid: string) => boolean
  /** A turn is over, though the interrupted one may still be to come. Returns whether an end was asked for. */
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
