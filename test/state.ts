/**
 * Each worker has a state directory of its own: fakes and scripts open sessions of the same ids, and two processes that
 * did so at once would keep each other out.
 */
import { createRequire, syncBuiltinESMExports } from "node:module"
import { join } from "node:path"

const { STATE_OF_ALL, VITEST_POOL_ID = "1" } = process.env
if (STATE_OF_ALL !== undefined) {
  process.env["XDG_STATE_HOME"] = join(STATE_OF_ALL, VITEST_POOL_ID)
  // Where a test has no HOME, the home is not that of the person who runs the tests.
  const os = createRequire(import.meta.url)("node:os")
  const known = os.userInfo()
  os.userInfo = () => ({ ...known, homedir: join(STATE_OF_ALL, `home-${VITEST_POOL_ID}`) })
  syncBuiltinESMExports()
}
