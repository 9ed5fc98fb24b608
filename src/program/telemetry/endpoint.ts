/** The URL of a collector: checked, freed of its user and password, and how it is shown; pure. */

export interface Endpoint {
  readonly href: string
  readonly credentials: { readonly user: string; readonly password: string } | undefined
}

const example = "such as http://localhost:4318"

/** With `path` below it, if that is given. A text says what is wrong with it, without quoting it. */
export const checkedUrl = (given: string | undefined, path?: string): Endpoint | string | undefined => {
  if (given === undefined) return undefined
  if (given.length > 2_048) return "is longer than 2048 characters"
  if (!URL.canParse(given)) return `is not a URL ${example}`
  const url = new URL(given)
  if (url.protocol !== "http:" && url.protocol !== "https:") return `is not an http:// or https:// URL ${example}`
  const { username, password } = url
  url.username = ""
  url.password = ""
  url.hash = ""
  if (path !== undefined) url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`
  const hasCredentials = username !== "" || password !== ""
  try {
    const credentials = { user: decodeURIComponent(username), password: decodeURIComponent(password) }
    return { href: url.href, credentials: hasCredentials ? credentials : undefined }
  } catch {
    return "has a user or password with a wrong %"
  }
}

export const basicAuthorization = (credentials: Endpoint["credentials"]): Readonly<Record<string, string>> =>
  credentials === undefined
    ? {}
    : { authorization: `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString("base64")}` }

/** For messages: a query can have a key in it. */
export const shownUrl = (url: URL): string => `${url.origin}${url.pathname}`
