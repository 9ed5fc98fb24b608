/** A fake CLI as an executable file, which works whatever the environment and the working directory. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Context } from "effect"
import { type CliId, clis } from "../agents.ts"
import { readCalls } from "./callFiles.ts"
import { checkedId } from "./dialects.ts"
import type { FakeCli } from "./FakeCli.ts"
import type { CliCall, Performance } from "./instructions.ts"

/** A fake CLI that can be started. */
export class InstalledCli extends Context.Service<
  InstalledCli,
  {
    readonly cli: CliId
    /** The path of the executable, for the `command` of an agent. */
    readonly command: string
    /** Has the executable under the name of the CLI and nothing else, for PATH. */
    readonly directory: string
    /** What each start was given, the oldest first; read from disk each time. A start is here before it prints. */
    readonly calls: () => ReadonlyArray<CliCall>
  }
>()("reins/testing/InstalledCli") {}

/** As this file: TypeScript in the sources, JavaScript in the package. */
const player = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "player.ts" : "player.js", import.meta.url))

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

export const installFake = ({ cli: id, ...fake }: FakeCli) => {
  const { command: name } = clis[checkedId(id)]
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "reins-fake-")))
  const file = join(folder, "instructions.json")
  const performance: Performance = { ...fake, command: name }
  writeFileSync(file, JSON.stringify(performance), { mode: 0o600 })
  mkdirSync(join(folder, "calls"), { mode: 0o700 })
  const directory = join(folder, "bin")
  mkdirSync(directory, { mode: 0o700 })
  const command = join(directory, name)
  writeFileSync(command, `#!/bin/sh\nexec ${[process.execPath, player, file].map(quoted).join(" ")} "$@"\n`)
  chmodSync(command, 0o700)
  let last: ReadonlyArray<CliCall> | undefined
  const calls = () => last ?? readCalls(file)
  const remove = () => {
    last ??= readCalls(file)
    rmSync(folder, { recursive: true, force: true })
  }
  return { cli: InstalledCli.of({ cli: id, command, directory, calls }), remove }
}
