/** The CLIs that Reins knows, by their ids. */
import type { CliId } from "../contract/CliSupport.ts"
import type { Cli } from "./Cli.ts"
import { claude } from "./claude/index.ts"
import { codex } from "./codex/index.ts"
import { gemini } from "./gemini/index.ts"
import { opencode } from "./opencode/index.ts"

export const clis = { claude, gemini, codex, opencode } as const satisfies Readonly<Record<CliId, Cli>>
export type { CliId } from "../contract/CliSupport.ts"
