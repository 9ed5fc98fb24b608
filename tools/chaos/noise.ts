/** Noise that no run may cause: warnings of Node, unhandled rejections, logged defects and warnings. */

/** A process that stays after its result is ended, and that is said. */
const isExpected = (text: string) => text.includes("the process lingered after its result and is ended")

export interface NoiseOptions {
  readonly console: boolean
  /** Also keeps the process alive after an uncaught error. */
  readonly process: boolean
}

/** Gives what was heard since the last call. */
export const listenForNoise = (options: NoiseOptions): (() => ReadonlyArray<string>) => {
  let received: Array<string> = []
  const record = (what: string, detail: unknown) => {
    const text = detail instanceof Error ? (detail.stack ?? detail.message) : String(detail)
    if (!isExpected(text)) received.push(`${what}: ${text}`)
  }
  process.on("warning", (warning) => record("warning", warning))
  if (options.process) {
    process.on("unhandledRejection", (reason) => record("unhandled rejection", reason))
    process.on("uncaughtException", (error) => record("uncaught exception", error))
  }
  if (options.console) {
    for (const name of ["log", "warn", "error"] as const) {
      console[name] = (...parts: ReadonlyArray<unknown>) => record("logged", parts.map(String).join(" "))
    }
  }
  return () => {
    const all = received
    received = []
    return all
  }
}
