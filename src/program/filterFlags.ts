/** Flags that choose among what is kept: by CLI, time and zone. A value that could choose nothing is refused by the parser. */
import { Flag } from "effect/cli"
import { suggestionFor } from "../contract/suggestions.ts"
import { isZone } from "../money/ledger/zones.ts"
import { agentNames } from "./chosenAgent.ts"
import { parseDuration } from "./duration.ts"
import { oneOf } from "./flagChecks/lists.ts"

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

/** A CLI of an application's own has any name: only what is probably a slip is refused. */
const isSlip = (name: string) =>
  !agentNames.some((known) => known === name) && suggestionFor(name, agentNames) !== undefined

export const cliFlag = text("cli", "NAME", "Of this CLI: claude, gemini, codex, opencode").pipe(
  Flag.filter(
    (name) => !isSlip(name),
    (name) => oneOf(name, agentNames)
  ),
  Flag.optional
)

const date = /^\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?$/

/** The library has the last word: it knows how many days a month has. */
const isMoment = (input: string) =>
  parseDuration(input) !== undefined || date.test(input) || (input.includes("T") && !Number.isNaN(Date.parse(input)))

export const momentFlag = (name: string, description: string) =>
  text(name, "D", description).pipe(
    Flag.filter(isMoment, () => "is not a time. 2026-11-23, 2026-11, 2026-11-23T10:00:00Z, or 7d ago as 7d"),
    Flag.optional
  )

export const zoneFlag = text(
  "zone",
  "Z",
  "Time zone in which days begin, such as Europe/Berlin (default: the configured one)"
).pipe(
  Flag.filter(isZone, () => "is not a time zone. One such as Europe/Berlin or UTC"),
  Flag.optional
)
