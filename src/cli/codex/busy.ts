/** Codex keeps other processes out of a thread by itself, and says so (0.169.0): on stderr of `exec`, in its answer live. */

const words = /\bthread (\S{1,128}) already has an active writer\b/g

export const refusesBusy = (message: string, sessionId: string): boolean =>
  [...message.matchAll(words)].some(([, thread]) => thread === sessionId)
