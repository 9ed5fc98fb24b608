/** The panel of a conversation's changes: at each width, by the keyboard alone, with thousands of files, and on a real repository. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { everywhere } from "../../tools/browser/everywhere.ts"
import type { Page } from "../../tools/browser/page.ts"
import { done, me, run, say } from "../../tools/browser/rows.ts"
import type { Reply, ScriptedServer, Told } from "../../tools/browser/scriptedServer.ts"
import { browserSuite } from "../../tools/browser/suite.ts"
import { openPage } from "../channels/web/page.ts"
import { lastingStore } from "../kit/lastingStore.ts"
import { gitIn, makeRepository, put, textOf } from "../kit/repository.ts"

const suite = browserSuite()
const calm = { rows: [me("m0", "Hello"), run(), say("Hello to you."), done()] } as const
const commit = "0123456789abcdef0123456789abcdef01234567"
const own = {
  apply: "write these files into /shop, not committed; nothing there that is uncommitted is overwritten",
  commit: "commit these files on the branch reins/web; /shop stays as it is",
  discard: "undo the changes of these files in the worktree; git keeps a copy"
}
const hostileName = '<img src=x onerror="alert(1)">\u202egnp.exe'
const few = [
  { path: "src/cart/total.ts", status: "changed", added: 2, deleted: 1 },
  { path: `docs/${"very-long-name-of-a-directory/".repeat(6)}${hostileName}`, status: "added", added: 1, deleted: 0 },
  { path: "logo.png", status: "changed" },
  { path: "old.ts", status: "deleted", added: 0, deleted: 40 }
]
const listOf = (files: ReadonlyArray<object>, more: object = {}) => ({
  ...{ branch: "reins/web", repository: "/shop", commit, commits: 1, mayAct: true, words: own },
  ...{ count: files.length, added: 12, deleted: 3, files, ...more }
})
const diff = "@@ -1,2 +1,3 @@ function total() {\n one\n-two\n+too\n+three\n\\ No newline at end of file\n"

/** Changes that the server says, and the answers to actions. */
const answers = (
  server: ScriptedServer,
  list: () => object,
  act: (body: Told["body"]) => Reply = () => ({ status: 200 })
) => {
  server.reply = ({ path, query, body }) => {
    if (!path.endsWith("/changes")) return undefined
    if (body["do"] !== undefined) return act(body)
    return { status: 200, body: query.has("path") ? { isText: true, text: diff } : list() }
  }
}
const showChanges = async (files: ReadonlyArray<object>, act?: (body: Told["body"]) => Reply, options = {}) => {
  const visible = await suite.show(calm, options)
  let list = listOf(files)
  answers(visible.server, () => list, act)
  const again = () => visible.server.say("c1", run({ turn: "t2" }), { ...done(), turn: "t2" })
  again()
  await visible.page.until(`!document.querySelector("#changes-toggle").hidden`)
  return {
    ...visible,
    again,
    change: (next: object) => {
      list = listOf(files, next)
    }
  }
}
const open = async (page: Page) => {
  await page.click("#changes-toggle")
  await page.until(`document.querySelector(".changed-file")`)
}
const panel = (text: string) => `document.querySelector("#changes").innerText.includes(${JSON.stringify(text)})`
const focused = (page: Page) =>
  page.evaluate<string>(
    `(document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText ?? "").trim() || document.activeElement.id`
  )
const tabTo = async (page: Page, name: string, key = "Tab") => {
  const known: Array<string> = []
  for (let i = 0; i < 40; i++) {
    await page.press(key)
    const now = await focused(page)
    if (now === name || now.includes(name)) return
    known.push(now)
  }
  assert.fail(`no “${name}” by ${key}, only ${known.join(" | ")}`)
}

describe("the panel of changes", () => {
  it("is readable, touchable and inside the page at each width, in both schemes", async () => {
    const visible = await showChanges(few)
    const { page } = visible
    await open(page)
    await page.click(".file-head")
    await page.until(panel("three"))
    assert.include(await page.evaluate<string>(`document.querySelector("#changes").innerText`), "U+202E")
    assert.isNull(await page.evaluate(`document.querySelector("#changes img")`))
    await everywhere(page, "changes")
    await page.click("text=Discard")
    await everywhere(page, "changes-discard")
    await visible[Symbol.asyncDispose]()
  })

  it.each([
    [1600, false],
    [1000, true],
    [360, true]
  ])("at %i px covers the conversation: %s", async (width, covers) => {
    const visible = await showChanges(few, undefined, { width })
    const { page } = visible
    await open(page)
    assert.strictEqual(await page.evaluate(`document.querySelector("#body").inert`), covers)
    const box = `document.querySelector("#prompt").getBoundingClientRect()`
    const isHit = `document.elementFromPoint(${box}.x + 5, ${box}.y + 5)?.id === "prompt"`
    assert.strictEqual(await page.evaluate(isHit), !covers)
    await page.click("text=Close the changes")
    assert.strictEqual(await page.evaluate(`document.activeElement.id`), "changes-toggle")
    assert.strictEqual(await page.evaluate(`document.querySelector("#body").inert`), false)
    assert.isTrue(await page.evaluate(isHit))
    await visible[Symbol.asyncDispose]()
  })

  it("is used by the keyboard alone, and gives the focus back", async () => {
    const acts: Array<Told["body"]> = []
    const visible = await showChanges(few, (body) => {
      acts.push(body)
      return { status: 200, body: { text: `Done: ${body["do"]}.` } }
    })
    const { page } = visible
    await tabTo(page, "Changes: 4 files", "Shift+Tab")
    await page.press("Enter")
    assert.strictEqual(await focused(page), "Changes")
    await tabTo(page, "total.ts")
    await page.press("Enter")
    await page.until(panel("three"))
    assert.include(
      await page.evaluate<string>(`document.querySelector(".file-diff").innerText`),
      "(no line break at the end)"
    )
    await page.press("Escape")
    assert.strictEqual(await focused(page), "Changes: 4 files")
    assert.isTrue(await page.evaluate(`document.querySelector("#changes").hidden`))
    await page.press("Enter")
    // Opened files stay open.
    await page.until(panel("three"))
    await tabTo(page, "changes-message")
    await page.type("A better total")
    await tabTo(page, "Commit")
    await page.press("Enter")
    await page.until(panel("Done: commit."))
    assert.deepInclude(acts.at(-1), { do: "commit", commit, message: "A better total" })
    // Asks before it discards, and Escape keeps.
    await tabTo(page, "Discard")
    await page.press("Enter")
    assert.strictEqual(await focused(page), "Discard 4 files")
    await page.press("Escape")
    assert.strictEqual(await focused(page), "Discard")
    assert.isFalse(await page.evaluate(`document.querySelector("#changes").hidden`))
    await page.press("Enter")
    await page.press("Enter")
    await page.until(panel("Done: discard."))
    assert.deepStrictEqual(
      acts.map((body) => body["do"]),
      ["commit", "discard"]
    )
    await visible[Symbol.asyncDispose]()
  })

  it("follows each turn, keeps opened files and the focus, and closes with its conversation", async () => {
    const visible = await showChanges(few)
    const { page } = visible
    await open(page)
    await page.click(".file-head")
    await page.until(panel("three"))
    visible.change({ commit: "f".repeat(40), count: 9 })
    visible.again()
    await page.until(`document.querySelector("#changes-count").innerText === "9"`)
    await page.until(panel("three"))
    assert.include(await focused(page), "total.ts")
    visible.change({ commit: "e".repeat(40), count: 0, files: [] })
    visible.again()
    await page.until(panel("No changes that the last commit does not have."))
    assert.strictEqual(await page.evaluate(`document.querySelector(".changes-acts").childElementCount`), 0)
    await page.evaluate(`document.querySelector("#new").click()`)
    await page.until(`document.querySelector("#changes").hidden && document.querySelector("#changes-toggle").hidden`)
    await visible[Symbol.asyncDispose]()
  })

  it("shows people who may not act the changes without the actions", async () => {
    const visible = await showChanges(few)
    visible.change({ mayAct: false, commit: "d".repeat(40) })
    visible.again()
    await visible.page.until(`document.querySelectorAll(".turn").length >= 3`)
    await open(visible.page)
    await visible.page.until(panel("Admins can apply, commit or discard these changes."))
    assert.strictEqual(await visible.page.evaluate(`document.querySelectorAll(".changes-acts button").length`), 0)
    await visible[Symbol.asyncDispose]()
  })

  it("stays light with 2,000 files, and reaches the last of them", async () => {
    const files = Array.from({ length: 2_000 }, (_, at) => ({
      ...{ path: `src/part${at % 40}/file${at}.ts`, status: "changed", added: at, deleted: 1 }
    }))
    const visible = await showChanges(files)
    const { page } = visible
    const began = performance.now()
    await open(page)
    assert.isBelow(performance.now() - began, 5_000)
    const count = () => page.evaluate<number>(`document.querySelectorAll(".changed-file").length`)
    assert.isAtMost(await count(), 300)
    const frames = await page.evaluate<ReadonlyArray<number>>(`new Promise((resolve) => {
      const scroll = document.querySelector(".changes-scroll")
      const frames = []
      let last = performance.now()
      const look = (now) => {
        frames.push(now - last)
        last = now
        if (document.querySelectorAll(".changed-file").length === 2000) return resolve(frames)
        scroll.scrollTop = scroll.scrollHeight
        requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })`)
    // The median: other processes of a busy machine hold single frames up.
    const median = frames.toSorted((one, other) => one - other)[Math.floor(frames.length / 2)] ?? 0
    assert.isBelow(median, 250, frames.map(Math.round).join(" "))
    await page.evaluate(`document.querySelector(".changed-file:last-child button").click()`)
    await page.until(`document.querySelector(".changed-file:last-child .file-diff")`)
    assert.strictEqual(await page.evaluate(`document.querySelectorAll(".file-diff").length`), 1)
    assert.isBelow(await page.evaluate<number>(`document.querySelectorAll("#changes *").length`), 40_000)
    await visible[Symbol.asyncDispose]()
  })

  it("draws a long difference piece by piece", async () => {
    const visible = await showChanges([few[0] ?? {}])
    const text = `@@ -0,0 +1,5000 @@\n${Array.from({ length: 5_000 }, (_, at) => `+line ${at}`).join("\n")}\n`
    visible.server.reply = ({ path, query }) =>
      path.endsWith("/changes")
        ? { status: 200, body: query.has("path") ? { isText: true, text } : listOf([few[0] ?? {}]) }
        : undefined
    const { page } = visible
    await open(page)
    await page.click(".file-head")
    await page.until(panel("Show 4400 more lines"))
    assert.strictEqual(await page.evaluate(`document.querySelectorAll("#changes .line").length`), 600)
    await page.click("text=Show 4400 more lines")
    await page.until(panel("from line 601"))
    assert.strictEqual(await page.evaluate(`document.querySelectorAll("#changes .line").length`), 1_200)
    await visible[Symbol.asyncDispose]()
  })
})

const inPage = <A>(work: () => Promise<A>) => Effect.promise(work)

describe("the panel on its server", () => {
  it.live("applies to a real repository, and says in words why it did not", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const { url } = yield* openPage({
        store: yield* lastingStore,
        script: ({ prompt, workingDirectory = "" }) => {
          put(workingDirectory, { "a.txt": `one\n${prompt}\n`, [hostileName]: "x\n" })
          return [{ type: "text", text: `did: ${prompt}` }]
        },
        bridge: { directories: { shop: { path: repository, worktree: true } }, directory: "shop" }
      })
      const page = yield* Effect.acquireRelease(
        Effect.promise(() => suite.browser().page(url)),
        (each) =>
          Effect.promise(async () => {
            await each.close()
            assert.deepStrictEqual(each.problems, [])
          })
      )
      yield* inPage(async () => {
        await page.until(`!document.querySelector("#start").hidden`)
        await page.evaluate(`document.querySelector("#prompt").focus()`)
        await page.type("more")
        await page.press("Enter")
        await page.until(`!document.querySelector("#changes-toggle").hidden`)
        await open(page)
        await page.click(".changed-file[data-path='a.txt'] .file-head")
        await page.until(panel("more"))
        writeFileSync(join(repository, "a.txt"), "mine\n")
        await page.click("text=Apply")
        await page.until(panel('Nothing was applied: "a.txt" has changes in the working tree that are not committed.'))
        await page.until(panel("Commit or stash these files first."))
        assert.strictEqual(textOf(repository, "a.txt"), "mine\n")
        assert.isFalse(existsSync(join(repository, hostileName)))
        writeFileSync(join(repository, "a.txt"), "one\n")
        await page.click("text=Apply")
        await page.until(panel("Applied 2 files to"))
        await page.until(panel("applied"))
        assert.strictEqual(textOf(repository, "a.txt"), "one\nmore\n")
        assert.isTrue(existsSync(join(repository, hostileName)))
        assert.strictEqual(await page.evaluate(`document.querySelector("#changes-count").innerText`), "2")
      })
    }).pipe(Effect.scoped)
  )

  it.live(
    "lets two conversations change one file: a person takes one, and the other says why it does not fit, and stays",
    () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const { url } = yield* openPage({
          store: yield* lastingStore,
          script: ({ prompt, workingDirectory = "" }) => {
            const before = textOf(workingDirectory, "a.txt")
            put(workingDirectory, { "a.txt": `${before}${prompt}\n` })
            return [{ type: "text", text: `did: ${prompt}` }]
          },
          bridge: { directories: { shop: { path: repository, worktree: true } }, directory: "shop" }
        })
        const page = yield* Effect.acquireRelease(
          Effect.promise(() => suite.browser().page(url)),
          (each) =>
            Effect.promise(async () => {
              await each.close()
              assert.deepStrictEqual(each.problems, [])
            })
        )
        const write = async (text: string) => {
          await page.evaluate(`document.querySelector("#prompt").focus()`)
          await page.type(text)
          await page.press("Enter")
          await page.until(`document.body.innerText.includes(${JSON.stringify(`did: ${text}`)})`)
          await page.until(`!document.querySelector("#changes-toggle").hidden`)
        }
        const idOf = () => page.evaluate<string>("location.hash")
        const refusal = (words: string) => panel(`Nothing was applied: "a.txt" ${words}`)
        yield* inPage(async () => {
          await page.until(`!document.querySelector("#start").hidden`)
          await write("blue")
          const blue = await idOf()
          await page.evaluate(`document.querySelector("#new").click()`)
          await page.until(`!document.querySelector("#start").hidden`)
          await write("green")
          const green = await idOf()
          assert.notStrictEqual(blue, green)
          assert.strictEqual(textOf(repository, "a.txt"), "one\n")
          await open(page)
          await page.click(".changed-file[data-path='a.txt'] .file-head")
          await page.until(panel("green"))
          assert.isFalse(await page.evaluate(panel("blue")))
          await page.click(`#list a[href="${blue}"], a[href="${blue}"]`)
          await page.until(`document.body.innerText.includes("did: blue")`)
          await open(page)
          await page.click("text=Apply")
          await page.until(panel("Applied 1 file to"))
          assert.strictEqual(textOf(repository, "a.txt"), "one\nblue\n")
          await page.click(`a[href="${green}"]`)
          await page.until(`document.body.innerText.includes("did: green")`)
          await open(page)
          await page.click("text=Apply")
          await page.until(refusal("has changes in the working tree that are not committed."))
          gitIn(repository, "commit", "--all", "--quiet", "--message", "blue")
          await page.click("text=Apply")
          await page.until(refusal("was changed in the last commits, too, and the changes do not fit."))
          assert.strictEqual(textOf(repository, "a.txt"), "one\nblue\n")
          // The other keeps its worktree, and what it changed.
          assert.isTrue(await page.evaluate(`document.querySelector("#changes-count").innerText === "1"`))
        })
      }).pipe(Effect.scoped)
  )
})
