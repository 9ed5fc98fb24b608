/**
 * Names of files that are never sent; pure. They keep an agent from a slip, and are no boundary: it can copy a file first.
 */

/** In lower case; `*` stands for any characters. Each also holds for directories above the file. */
export const deniedNames = [
  ".env*",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  "*.jks",
  "*.keystore",
  "*.kdbx",
  "id_*",
  ".netrc",
  "_netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".git",
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker"
] as const

const matches = (name: string, pattern: string) => {
  if (pattern.startsWith("*")) return name.endsWith(pattern.slice(1))
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** The pattern that a path's parts match; undefined: it may be sent. */
export const deniedBy = (parts: ReadonlyArray<string>): string | undefined => {
  // A file system may take another case, and another form of a character, for the same.
  const names = parts.map((part) => part.normalize("NFKC").toLowerCase())
  return deniedNames.find((pattern) => names.some((name) => matches(name, pattern)))
}
