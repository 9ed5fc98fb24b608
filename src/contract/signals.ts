/** What an exit code tells of a signal; pure. */
const fatalSignals: Readonly<Record<number, string>> = {
  132: "SIGILL",
  133: "SIGTRAP",
  134: "SIGABRT",
  135: "SIGBUS",
  136: "SIGFPE",
  137: "SIGKILL",
  139: "SIGSEGV",
  143: "SIGTERM"
}

/** A shell or launcher tells the death of what it has started by its own exit code: 128 and the signal. */
export const signalOf = (exitCode: number) => fatalSignals[exitCode]
