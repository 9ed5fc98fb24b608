// The command-line vocabulary of a CLI: the flags of its help; for Codex also its features, and the methods
// and fields of the protocol that it describes itself. Runs inside the namespace.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { CliId } from "../../src/cli/clis.ts"
import { makeFolders } from "../../src/testing/sandbox/sandbox.ts"
import { cleanEnvironment } from "../../src/testing/sandbox/surroundings.ts"
import { pathOf } from "../../test/real/rig/environment.ts"
import { commandFor } from "../../test/real/rig/layered.ts"
import { featuresIn, flagsIn, protocolWordsIn } from "./offered.ts"

const helps: Readonly<Record<CliId, ReadonlyArray<string>>> = {
  claude: ["", "mcp"],
  gemini: ["", "mcp"],
  codex: ["", "exec", "exec resume", "exec fork", "app-server"],
  opencode: ["", "run", "acp"],
  pi: [""]
}

export const commandWordsOf = async (id: CliId): Promise<Readonly<Record<string, ReadonlyArray<string>>>> => {
  await using folders = await makeFolders()
  const command = commandFor(id)
  const env = cleanEnvironment({ ...folders, path: pathOf([command]) })
  /** Empty without such a command. */
  const ask = (...args: ReadonlyArray<string>): string => {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: folders.work,
      env: { ...env, COLUMNS: "200" },
      encoding: "utf8",
      timeout: 60_000
    })
    return status === 0 ? `${stdout}\n${stderr}` : ""
  }
  const flags = helps[id].map((name) => {
    const words = name === "" ? [] : name.split(" ")
    return [`${[id, ...words].join(" ")} --help`, flagsIn(ask(...words, "--help"))] as const
  })
  if (id !== "codex") return Object.fromEntries(flags)
  const out = join(folders.tmp, "schema")
  ask("app-server", "generate-json-schema", "--out", out)
  const read = (name: string): unknown => {
    try {
      return JSON.parse(readFileSync(join(out, name), "utf8"))
    } catch {
      return undefined
    }
  }
  return {
    ...Object.fromEntries(flags),
    "codex features list": featuresIn(ask("features", "list")),
    "codex app-server generate-json-schema": protocolWordsIn(read)
  }
}
