/** The CLIs that Reins knows and, beside them, one that an application has added: what holds for any CLI holds for it. */
import { clis } from "../../src/agents/Agents.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import { tern } from "../package/fifthCli/tern.ts"

export const everyCli: Readonly<Record<string, Cli>> = { ...clis, tern }
