/** Waiting for something to be so, looked at after each change. */

export interface Signal {
  /** Something has changed. */
  readonly notify: () => void
  /** Returns the first value of `look` that is not undefined. Waits without a limit. */
  readonly until: <A>(look: () => A | undefined) => Promise<A>
}

export const makeSignal = (): Signal => {
  const waiting = new Set<() => void>()
  return {
    notify: () => {
      for (const wake of [...waiting]) wake()
    },
    until: <A>(look: () => A | undefined) =>
      new Promise<A>((resolve, reject) => {
        const wake = () => {
          try {
            const found = look()
            if (found === undefined) return
            resolve(found)
          } catch (error) {
            reject(error)
          }
          waiting.delete(wake)
        }
        waiting.add(wake)
        wake()
      })
  }
}
