/** Where Codex keeps its threads, from its home on (0.169.0): one file each, a rollout, whose name has the id. */

const fileName = /^rollout-.*?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i

export const idOf = (name: string): string | undefined => fileName.exec(name)?.[1]

export const rolloutPaths: ReadonlyArray<ReadonlyArray<string | RegExp>> = [
  ["sessions", /^\d{4}$/, /^\d\d$/, /^\d\d$/, fileName],
  ["archived_sessions", fileName]
]
