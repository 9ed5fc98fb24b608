/** The changelog and the version of a release; pure. */

/** The part of a version, without its heading. */
export const notesOf = (changelog: string, version: string): string | undefined => {
  const parts = changelog.split(/^## /m)
  const part = parts.find((text) => text.split("\n", 1)[0]?.trim() === version)
  const text = part?.slice(part.indexOf("\n")).trim()
  return text === "" ? undefined : text
}

/** Names of the packed file that stand in a page. */
export const withVersion = (page: string, version: string): string =>
  page.replaceAll(/\breins-\d+\.\d+\.\d+(?:-[\w.]+)?\.tgz\b/g, `reins-${version}.tgz`)

export const withLockedVersion = (lock: string, version: string): string =>
  lock.replaceAll(/("name": "reins",\s*"version": ")[^"]*(")/g, `$1${version}$2`)
