/** The characters of a request that cannot be seen, counted; pure. */
import { Predicate } from "effect"
import type { PermissionRequestEvent } from "../../contract/SessionEvent.ts"
import { escapedBy } from "../../contract/text/harmless.ts"

/** Deeper inputs cannot be allowed. */
const deepest = 64

const collect = (value: unknown, into: Set<string>, depth: number): void => {
  if (Predicate.isString(value)) into.add(value)
  else if (depth < deepest && Predicate.isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      into.add(name)
      collect(member, into, depth + 1)
    }
  } else if (depth < deepest && Array.isArray(value)) for (const member of value) collect(member, into, depth + 1)
}

/** A text that several fields hold counts once. */
export const hiddenIn = (request: PermissionRequestEvent): number => {
  const { toolName, command, directory, doubt, paths, edits, plan, reason, input } = request
  const texts = new Set<string>()
  collect([toolName, command, directory, doubt, paths, edits, plan, reason, input], texts, 0)
  return [...texts].reduce((sum, text) => sum + escapedBy(text), 0)
}
