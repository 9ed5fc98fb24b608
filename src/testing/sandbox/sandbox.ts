/** Fresh folders in which a real CLI finds its way to a scripted server, and to nothing else of this machine. */
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { CliId } from "../../cli/clis.ts"
import { type Folders, makeFolders } from "./folders.ts"
import { type SurroundingsOptions, surroundingsOf } from "./surroundings.ts"

export type SandboxOptions = Pick<SurroundingsOptions, "path" | "retries">

export interface Sandbox extends Folders {
  /** The whole environment of the CLI. */
  readonly values: Readonly<Record<string, string>>
  /** The same as the `env` option of an agent: nothing of this process's environment comes in. */
  readonly env: {
    readonly policy: "allow-list"
    readonly allow: ReadonlyArray<never>
    readonly values: Readonly<Record<string, string>>
  }
}

/** Writes into the home what leads there. */
export const writeSurroundings = async (cli: CliId, { home, ...options }: SurroundingsOptions) => {
  const { env, files } = surroundingsOf(cli, { home, ...options })
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true })
    await writeFile(join(home, path), content)
  }
  return env
}

export const makeSandbox = async (
  cli: CliId,
  server: { readonly url: string },
  options: SandboxOptions = {}
): Promise<Sandbox> => {
  const folders = await makeFolders()
  const values = await writeSurroundings(cli, { ...folders, url: server.url, ...options })
  return { ...folders, values, env: { policy: "allow-list", allow: [], values } }
}
