/** Flags that filter stored rows by CLI, time and zone. The parser refuses a value that could match nothing. */
import { Flag } from "effect/cli"
import { fewNames } from "../contract/CliSupport.ts"
import { suggestionFor } from "../contract/suggestions.ts"
import { isZone } from "../money/ledger/zones.ts"
import { agentNames } from "./chosenAgent.ts"
import { described } from "./conversationFlags.ts"
import { parseDuration } from "./flags.ts"
import { oneOf } from "./format.ts"

const usual = fewNames(agentNames).few

/** CLIs of an application may have any name: only a likely typo of one of the usual names is refused. */
const isSlip = (name: string) => !agentNames.some((known) => known === name) && suggestionFor(name, usual) !== undefined

export const cliFlag = Flag.String("cli").pipe(
  described("Of this CLI: claude, gemini, codex, opencode, pi", "NAME"),
  Flag.filter(
    (name) => !isSlip(name),
    (name) => oneOf(name, usual)
  ),
  Flag.optional
)

const date = /^\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?$/

/** The library checks the rest, such as the days of a month. */
const isMoment = (input: string) =>
  parseDuration(input) !== undefined || date.test(input) || (input.includes("T") && !Number.isNaN(Date.parse(input)))

export const momentFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    described(description, "D"),
    Flag.filter(isMoment, () => "is not a time. 2026-11-23, 2026-11, 2026-11-23T10:00:00Z, or 7d ago as 7d"),
    Flag.optional
  )

export const zoneFlag = Flag.String("zone").pipe(
  described("Time zone in which days begin, such as Europe/Berlin (default: the configured one)", "Z"),
  Flag.filter(isZone, () => "is not a time zone. One such as Europe/Berlin or UTC"),
  Flag.optional
)
