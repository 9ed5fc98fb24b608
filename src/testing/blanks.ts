/** Values that are known only when a fake CLI starts are blanks in its lines, and filled in then; pure. */

export const blanks = {
  sessionId: "@@reins:session-id@@",
  workingDirectory: "@@reins:working-directory@@",
  prompt: "@@reins:prompt@@",
  permissionMode: "@@reins:permission-mode@@"
} as const

type Filling = Readonly<Record<keyof typeof blanks, string>>

/** Inside the strings of JSON, that is. */
export const fillBlanks = (text: string, filling: Filling): string => {
  const names = Object.keys(blanks) as ReadonlyArray<keyof Filling> // its own keys
  return names.reduce(
    (filled, name) => filled.replaceAll(blanks[name], () => JSON.stringify(filling[name]).slice(1, -1)),
    text
  )
}
