/** Waiting for something to be so, looked at after each change. */

export interface Signal {
  /** Something has changed. */
  readonly notify: () => void
  /** What `look` gives, as soon as it gives something. Waits for ever. */
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
