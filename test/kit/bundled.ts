/** A program of the tests that imports the sources: with what it uses of them in one file, it starts in a third of the time. */
import { rmSync } from "node:fs"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { afterAll } from "vitest"
import { noWebSocket } from "../../build/noWebSocket.ts"

/** Called at the top of a test file; what it has made is gone after its tests. */
export const bundled = async (input: string): Promise<string> => {
  // As deep as `dist`, so that files of the package are found.
  const name = `${basename(input, ".ts")}-${process.pid}.js`
  const file = fileURLToPath(new URL(`../../.cache/${name}`, import.meta.url))
  afterAll(() => rmSync(file, { force: true }))
  const bundle = await rolldown({ input, platform: "node", plugins: [noWebSocket], logLevel: "silent" })
  await bundle.write({ file, codeSplitting: false })
  await bundle.close()
  return file
}
