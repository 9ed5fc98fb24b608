/**
 * Writes to the stdin of a process, also before it starts, without waiting; the buffer is bounded. Without a Stream,
 * which costs two fibers and a turn of the event loop for each text.
 */

/** The end of a pipe to write to. */
export interface StdinPipe {
  readonly write: (text: string) => void
  readonly end: () => void
  /** How many characters wait until the process reads. */
  readonly waiting: () => number
}

export interface Stdin {
  /** Gives the problem of a text that cannot be written, to follow its name. After the end, texts are dropped. */
  readonly write: (text: string) => string | undefined
  /** Texts can still be written. */
  readonly isOpen: () => boolean
  /** Nothing follows: the process finds the end of its input. */
  readonly end: () => void
  /** The process runs: what has been written so far goes to its pipe. Once. */
  readonly connect: (pipe: StdinPipe) => void
  /** The pipe is broken. */
  readonly close: () => void
}

/** Until there is a process. */
const makeEarly = () => {
  const texts: Array<string> = []
  let characters = 0
  return {
    texts,
    write: (text: string) => {
      texts.push(text)
      characters += text.length
    },
    end: () => {},
    waiting: () => characters
  }
}

export const makeStdin = (limit = 64 * 1024 * 1024): Stdin => {
  const early = makeEarly()
  let pipe: StdinPipe = early
  let isOpen = true
  return {
    write: (text) => {
      if (!isOpen) return undefined
      if (pipe.waiting() > limit) return `has to wait behind ${limit / 2 ** 20} Mi characters that were not read`
      pipe.write(text)
      return undefined
    },
    isOpen: () => isOpen,
    end: () => {
      if (isOpen) pipe.end()
      isOpen = false
    },
    connect: (connected) => {
      pipe = connected
      for (const text of early.texts.splice(0)) connected.write(text)
      if (!isOpen) connected.end()
    },
    close: () => {
      isOpen = false
    }
  }
}

/** All that a process gets. */
export const stdinOf = (text: string): Stdin => {
  const stdin = makeStdin()
  if (text !== "") stdin.write(text)
  stdin.end()
  return stdin
}
