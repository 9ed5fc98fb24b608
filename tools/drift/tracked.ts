// Records the places of a line that a reader looks at: the line is wrapped, and each reading is noted, also of what
// is not there. So "read by us" follows from the code that reads, and from no list.
import { pathTo } from "./paths.ts"

interface Tracked {
  /** To be read in place of the line. */
  readonly json: unknown
  readonly asked: ReadonlySet<string>
  /** From now on nothing is noted. */
  readonly stop: () => void
}

const originals = new WeakMap<object, object>()

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

export const track = (line: unknown): Tracked => {
  const request = new Set<string>()
  const wrapped = new WeakMap<object, unknown>()
  let isActive = true
  const wrap = (value: unknown, path: string): unknown => {
    if (!isObject(value)) return value
    const known = wrapped.get(value)
    if (known !== undefined) return known
    const note = (key: string | symbol): string | undefined => {
      if (typeof key === "symbol") return undefined
      if (Array.isArray(value) ? !/^\d+$/.test(key) : key in Object.prototype) return undefined
      const child: unknown = Reflect.get(value, key)
      const place = pathTo(value, path, key, child)
      if (isActive && !Array.isArray(value)) request.add(place)
      return place
    }
    const proxy = new Proxy(value, {
      get: (target, key, receiver) => {
        const place = note(key)
        const child: unknown = Reflect.get(target, key, receiver)
        return place === undefined ? child : wrap(child, place)
      },
      has: (target, key) => {
        note(key)
        return Reflect.has(target, key)
      }
    })
    wrapped.set(value, proxy)
    originals.set(proxy, value)
    return proxy
  }
  const stop = () => {
    isActive = false
  }
  return { json: wrap(line, ""), asked: request, stop }
}

const isPlain = (value: object): value is Readonly<Record<string, unknown>> => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The result for a tracked line, with nothing tracked in it. */
export const untracked = <A>(value: A): A => {
  const visit = (input: unknown): unknown => {
    if (!isObject(input)) return input
    const original = originals.get(input)
    if (original !== undefined) return original
    if (Array.isArray(input)) return input.map(visit)
    return isPlain(input) ? Object.fromEntries(Object.entries(input).map(([key, child]) => [key, visit(child)])) : input
  }
  return visit(value) as A // of the same shape
}
