/**
 * Whether a request for permission differs from the announcement of its call. The request is what is decided about;
 * which of the two the agent would do is not known. Pure.
 */
import { Equal } from "effect"
import type { ToolCallUpdate } from "../wire.ts"
import type { AcpCall } from "./flavor.ts"
import { isEmptyInput } from "./toolCalls.ts"

const shown = (value: unknown): string => {
  try {
    return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 4_000)
  } catch {
    return "something that cannot be shown"
  }
}

const isSame = (one: unknown, other: unknown): boolean => {
  try {
    return Equal.equals(one, other)
  } catch {
    return false // nested too deep
  }
}

/** Facts in both that differ. For calls without an input, that is the title. */
const differing = (announced: AcpCall, asked: ToolCallUpdate): unknown => {
  const [before, now] = [announced.input, asked.rawInput]
  if (!isEmptyInput(before) && !isEmptyInput(now)) return isSame(before, now) ? undefined : before
  const titles = [announced.title, asked.title ?? undefined]
  return titles.includes(undefined) || titles[0] === titles[1] ? undefined : announced.title
}

export const doubtOf = (announced: AcpCall | undefined, asked: ToolCallUpdate): string | undefined => {
  const before = announced === undefined ? undefined : differing(announced, asked)
  return before === undefined ? undefined : `Something else was announced before: ${shown(before)}`
}
