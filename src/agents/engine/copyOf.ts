/**
 * Data for gates and observers: a copy, so that whatever they do to it, the run and its consumer keep theirs. Instances of
 * classes, such as failure reasons and durations, are passed as they are.
 */
import { Predicate } from "effect"

const isPlain = (value: unknown): value is object => {
  if (!Predicate.isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const copied = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(copied)
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copied(member)]))
}

// The copy has the same members.
export const copyOf = <Data>(data: Data): Data => copied(data) as Data
