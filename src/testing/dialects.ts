/** The dialects of the five CLIs. */
import { type CliId, clis } from "../agents/Agents.ts"
import type { Dialect } from "./dialect.ts"
import { InvalidFake } from "./InvalidFake.ts"
import { claude } from "./wire/claude.ts"
import { codex } from "./wire/codex.ts"
import { gemini } from "./wire/gemini.ts"
import { opencode } from "./wire/opencode.ts"
import { pi } from "./wire/pi.ts"

export const dialects: Readonly<Record<CliId, Dialect>> = { claude, codex, gemini, opencode, pi }

/** For callers without type checks. */
export const checkedId = (cli: CliId): CliId => {
  if (Object.hasOwn(clis, cli)) return cli
  const known = Object.keys(clis).join(", ")
  throw new InvalidFake({ subject: `CLI ${JSON.stringify(cli)}`, problem: `is not one of ${known}` })
}
