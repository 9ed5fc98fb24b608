// The names of places in a line: keys joined by dots, `[]` for an element of a list, `[type]` where the element tells its
// type. Keys that are ids, models or paths are masked, so that two runs of one version name the same places. Pure.

/** A key with other characters than a name, or with digits like an id or a model, differs from run to run. */
const maskKey = (key: string): string => (/^[A-Za-z_$][\w$-]*$/.test(key) && !/\d{2}|-\d/.test(key) ? key : "*")

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const tagOf = (value: unknown): string => {
  const type = isRecord(value) ? value["type"] : undefined
  return typeof type === "string" && /^[A-Za-z][\w-]{0,40}$/.test(type) ? type : ""
}

/** Where a child is: of a list, all elements of one type are one place. */
export const pathTo = (parent: unknown, path: string, key: string, child: unknown): string => {
  if (Array.isArray(parent)) return `${path}[${tagOf(child)}]`
  return path === "" ? maskKey(key) : `${path}.${maskKey(key)}`
}

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

/** Every place of a line with its JSON type: `message.content[text].text: string`. */
export const placesOf = (json: unknown): ReadonlySet<string> => {
  const places = new Set<string>()
  const visit = (value: unknown, path: string) => {
    if (path !== "") places.add(`${path}: ${typeOf(value)}`)
    if (typeof value !== "object" || value === null) return
    for (const [key, child] of Object.entries(value)) visit(child, pathTo(value, path, key, child))
  }
  visit(json, "")
  return places
}

export const pathOfPlace = (place: string): string => place.slice(0, place.lastIndexOf(": "))

/** Without those that lie in another one of them: what is true of the whole need not be said of its parts. */
export const outermost = (places: ReadonlyArray<string>): ReadonlyArray<string> => {
  const paths = places.map(pathOfPlace)
  return places.filter((place) => {
    const path = pathOfPlace(place)
    return !paths.some((other) => path.startsWith(`${other}.`) || path.startsWith(`${other}[`))
  })
}
