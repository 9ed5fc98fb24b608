/** The versions of Node with which Reins is tested: as `engines` in package.json. Bun and Deno say one, too. */
const [oldestMajor, oldestMinor] = [22, 19]

export const oldestNode = `${oldestMajor}.${oldestMinor}`

/** @param version As in `process.version`. */
export const isNodeOk = (version: string): boolean => {
  const [major = 0, minor = 0] = version.slice(1).split(".").map(Number)
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}
