/** The signal behind an exit code; pure. */
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

/** A shell or launcher reports the death of its child by a signal as exit code 128 + signal. */
export const signalOf = (exitCode: number) => fatalSignals[exitCode]
