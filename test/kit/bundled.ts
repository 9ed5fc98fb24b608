/** A program of the tests that imports the sources: with what it uses of them in one file, it starts in a third of the time. */
import { renameSync } from "node:fs"
import { basename, extname } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { noWebSocket } from "../../tools/build/noWebSocket.ts"

/** As deep as `dist`, so that files of the package are found. */
const cache = fileURLToPath(new URL("../../.cache", import.meta.url))

/** Made anew for each worker, and put there in one step: another may be using it. */
export const bundled = async (input: string): Promise<string> => {
  const file = `${cache}/${basename(input, extname(input))}`
  const bundle = await rolldown({ input, platform: "node", plugins: [noWebSocket], logLevel: "silent" })
  await bundle.write({ file: `${file}-${process.pid}.js`, codeSplitting: false })
  await bundle.close()
  renameSync(`${file}-${process.pid}.js`, `${file}.js`)
  return `${file}.js`
}
