/** The package as it was built last: its doors, its program, and the versions beside which it is measured. */
import { readFileSync } from "node:fs"
import { pathOf } from "./workspace.ts"

export const root = pathOf("../..")
export const benchRoot = pathOf("..")

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"))

const manifest: {
  readonly bin: { readonly reins: string }
  readonly exports: Readonly<Record<string, unknown>>
  readonly devDependencies: Readonly<Record<string, string>>
} = read(`${root}package.json`)

const { dependencies: sdks }: { readonly dependencies: Readonly<Record<string, string>> } = read(
  `${benchRoot}package.json`
)

export const program = `${root}${manifest.bin.reins.replace("./", "")}`

/** As they are imported, such as `reins/promise`. */
export const doors: ReadonlyArray<string> = Object.keys(manifest.exports)
  .filter((door) => !door.endsWith(".json"))
  .map((door) => door.replace(".", "reins"))

/** With its version, as it is installed. */
export const pinned = (name: string) => `${name}@${manifest.devDependencies[name] ?? sdks[name]}`

export const claudeSdk = "@anthropic-ai/claude-agent-sdk"
export const codexSdk = "@openai/codex-sdk"
