/** The web page, as it is: `src/channels/web/page` → `dist/page`, without what only the checker reads. */
import { cpSync } from "node:fs"
import { basename, join } from "node:path"

const root = join(import.meta.dirname, "../..")

cpSync(join(root, "src/channels/web/page"), join(root, "dist/page"), {
  recursive: true,
  filter: (path) => basename(path) !== "tsconfig.json"
})
