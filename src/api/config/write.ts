/** Writes `reins.toml` as a whole or not at all, readable by its owner alone. */
import { randomBytes } from "node:crypto"
import { open, realpath, rename, unlink } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect } from "effect"
import { ConfigurationError } from "../../contract/ConfigurationError.ts"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { makeDirectories } from "../../system/process/makeDirectories.ts"

const write = async (path: string, text: string) => {
  makeDirectories(dirname(path), 0o700)
  // A link stays one: its target is replaced.
  const target = await realpath(path).catch(() => path)
  const temporary = `${target}.${randomBytes(6).toString("hex")}.tmp`
  try {
    const handle = await open(temporary, "wx", 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, target)
  } catch (cause) {
    await unlink(temporary).catch(() => {})
    throw cause
  }
}

export const writeText = (path: string, text: string): Effect.Effect<void, ConfigurationError> =>
  Effect.tryPromise({
    try: () => write(path, text),
    catch: (cause) => {
      const code = codeOf(cause)
      const problem = `cannot be written: ${code === undefined ? "the system refuses it" : explain(code)}`
      return new ConfigurationError({ file: path, problems: [{ problem }] })
    }
  })
