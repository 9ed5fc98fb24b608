/**
 * The states of the page, each as what its server would say: the state around a conversation and its rows. The longer texts
 * are written to need every form: tables, tasks, code, quotes, long lines, other scripts.
 */
import { blocksOf } from "../../src/bridge/format/blocks.ts"
import { ask, done, ev, got, me, run, say, session, type Unplaced, use } from "./rows.ts"

export interface Scenario {
  readonly state?: object
  readonly rows: ReadonlyArray<Unplaced>
  /** The visible conversation; "" for none yet. */
  readonly current?: string
  /** Time of the server's clock, in ms. */
  readonly ahead?: number
}

const agents = [
  {
    id: "claude",
    name: "Claude Code",
    version: "2.1.328",
    models: ["opus-4.5", "sonnet-4.5", "haiku-4.5"],
    signedIn: "subscription"
  },
  { id: "codex", name: "Codex", version: "0.170.0", models: ["gpt-5.2-codex", "gpt-5.2"], signedIn: "API key" },
  {
    id: "gemini",
    name: "Gemini CLI",
    version: "0.60.0",
    models: ["gemini-3-pro"],
    problem: "not signed in: run gemini once in a terminal"
  },
  { id: "opencode", name: "OpenCode", install: "npm install -g opencode-ai" }
]
const installs: Readonly<Record<string, string>> = {
  claude: "npm install -g @anthropic-ai/claude-code",
  codex: "npm install -g @openai/codex",
  gemini: "npm install -g @google/gemini-cli",
  opencode: "npm install -g opencode-ai"
}

const hour = 3_600_000
const conversations = [
  {
    id: "c1",
    title: "Cart total is off by a cent",
    directory: "shop",
    agent: "claude",
    state: "running",
    at: Date.now()
  },
  { id: "c2", title: "Publish 2.4.0", directory: "shop", agent: "codex", state: "asking", at: Date.now() - hour / 60 },
  {
    id: "c3",
    title: "Why does the nightly build fail on arm64?",
    directory: "infra",
    agent: "gemini",
    state: "failed",
    at: Date.now() - hour / 30
  },
  {
    id: "c4",
    title: "Telegram · Ann: rename the invoices",
    directory: "shop",
    agent: "claude",
    state: "done",
    at: Date.now() - 30 * hour
  },
  {
    id: "c5",
    title: "ترجمة صفحة الدفع",
    directory: "shop",
    agent: "claude",
    state: "done",
    at: Date.now() - 60 * hour
  },
  {
    id: "c6",
    title: "Move the queue to PostgreSQL, with a plan for going back",
    directory: "infra",
    agent: "claude",
    state: "interrupted",
    at: Date.now() - 80 * hour
  },
  {
    id: "c7",
    title: "Explain src/agents/run/conduct.ts",
    directory: "shop",
    agent: "opencode",
    state: "done",
    at: Date.now() - 400 * hour
  },
  {
    id: "c8",
    title: "Old ideas",
    directory: "shop",
    agent: "claude",
    state: "done",
    at: Date.now() - 900 * hour,
    archived: true
  }
]

export const baseState = {
  title: "Reins",
  person: { id: "you", name: "You" },
  agents,
  directories: [
    { name: "shop", path: "~/code/shop", branch: "main", changed: 3 },
    { name: "infra", path: "~/code/infra" }
  ],
  conversations,
  budget: { name: "today", spent: 1.84, reserved: 0.5, limit: 5, again: "tomorrow at 00:00" },
  limits: { text: 100_000, uploadBytes: 20_000_000 },
  defaults: { agent: "claude", directory: "shop" }
}

const answer = `The total was off because each line was rounded **before** the discount was taken. I moved the rounding to the end and added a test that fails on the old code.

## What changed

| File | Change | Why |
|---|---|---|
| \`src/cart/total.ts\` | rounds once, at the end | three lines of 0.333 lost a cent |
| \`src/cart/discount.ts\` | takes and gives *exact* cents | no float leaves the module |
| \`test/cart/total.test.ts\` | 4 new cases | seen to fail before the change |

\`\`\`ts
// Cents are whole numbers; only the last step rounds.
export const total = (lines: ReadonlyArray<Line>, discount: Discount): Cents => {
  const exact = lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
  return Math.round(discount.of(exact)) as Cents
}
\`\`\`

### What I did not touch

1. **Old invoices** keep their totals; they are stored.
2. The PDF template rounds on its own:
   - \`templates/invoice.hbs\`, line 88
   - one place, the same bug
3. Nothing in the public API moved.

- [x] tests pass (214)
- [ ] the PDF template, if you want it

> The discount of 33 % on 0.99 is now 0.66; it was 0.67.

Run it yourself:

\`\`\`sh
npm test -- test/cart && node scripts/recount.mjs --since 2026-01-01 --dry-run --report ./out/recount-2026-01-01-to-today.csv
\`\`\`

Background: [why floats lose cents](https://example.com/floats), and ~~issue 88~~ issue 91.`

const file = "/home/ann/code/shop/src/cart/total.ts"
const edits = [
  {
    path: file,
    line: 4,
    before:
      "export const total = (lines, discount) => {\n  const sum = lines\n    .map((line) => round(line.price * line.quantity))\n    .reduce((a, b) => a + b, 0)\n  return discount.of(sum)\n}",
    after:
      "export const total = (lines, discount) => {\n  const exact = lines\n    .map((line) => line.price * line.quantity)\n    .reduce((a, b) => a + b, 0)\n  return Math.round(discount.of(exact))\n}"
  }
]
const testOutput =
  "> shop@2.3.1 test\n> node --test test/cart\n\n✔ empty cart is 0 (0.41ms)\n✔ one line (0.12ms)\n✖ three lines of a third (1.80ms)\n  AssertionError: 100 !== 99\n      at test/cart/total.test.ts:31:10\n\nℹ tests 12\nℹ pass 11\nℹ fail 1"

const longCommand =
  'set -euo pipefail; npm ci --ignore-scripts && npm run build -- --minify --sourcemap=external --out-dir dist/2.4.0 && tar -czf /tmp/shop-2.4.0.tgz -C dist/2.4.0 . && curl --fail --silent --show-error -X POST -H "Authorization: Bearer $DEPLOY_TOKEN" --data-binary @/tmp/shop-2.4.0.tgz https://deploy.example.com/api/v2/projects/shop/releases/2.4.0 ; rm -rf ./dist'
const plan = `## Move the queue to PostgreSQL

1. **Schema**: table \`jobs\` with \`state\`, \`run_at\`, \`tries\`; index on \`(state, run_at)\`.
2. **Worker**: \`SELECT … FOR UPDATE SKIP LOCKED\`, one job a transaction.
3. **Move**: read from both, write to PostgreSQL; \`scripts/move-queue.mjs\` copies what is open.
4. **Remove** Redis after a week without reads.

### Way back

Set \`QUEUE=redis\`: jobs written meanwhile are copied back by the same script.

### Files

- \`src/queue/postgres.ts\` (new, about 140 lines)
- \`src/queue/index.ts\`, \`src/worker.ts\`
- \`migrations/0042_jobs.sql\` (new)`

const arabic =
  "كان المجموع خاطئًا لأن كل سطر كان يُقرَّب **قبل** خصم الخصم. نقلت التقريب إلى النهاية.\n\n1. غيّرت الملف `src/cart/total.ts`\n2. أضفت اختبارًا في `test/cart/total.test.ts`\n\n| الملف | التغيير |\n|---|---|\n| `total.ts` | تقريب واحد في النهاية |\n\n```ts\nreturn Math.round(discount.of(exact)) // السطر الأخير\n```\n\nWhat I did not touch: the invoices."

const inSub = { parentToolId: "t7" }
const toolRows = [
  me("m1", "The cart total is off by a cent with three lines of 0.333. Find out why, fix it, and show me the test."),
  run({ message: "m1" }),
  session(),
  ev("thinking", {
    text: "Three lines of a third: 33.3 each. Rounding each line gives 33 + 33 + 33 = 99, the sum rounded once gives 100. So the rounding is per line. Let me look at total.ts and at who calls round()."
  }),
  say("I'll look at where the total is rounded."),
  use("t1", "Grep", "search", "round\\(", { pattern: "round\\(", path: "src" }),
  got("t1", "src/cart/total.ts:4\nsrc/cart/discount.ts:11\nsrc/money.ts:2"),
  use("t2", "Read", "read", "src/cart/total.ts", { file_path: "src/cart/total.ts" }),
  got("t2", '1  import { round } from "../money.ts"\n2  …'),
  use("t3", "Read", "read", "src/cart/discount.ts", { file_path: "src/cart/discount.ts" }),
  got("t3", "1  export const discount = …"),
  use("t4", "WebSearch", "web", "banker's rounding cents javascript", { query: "banker's rounding cents javascript" }),
  got("t4", "10 results"),
  say("Each line is rounded on its own. First a test that shows it:"),
  use("t5", "Bash", "command", "npm test -- test/cart", { command: "npm test -- test/cart" }),
  got("t5", testOutput, true, { raw: { exitCode: 1 } }),
  use("t6", "Edit", "file_change", file, { file_path: file }, { edits, paths: [file] }),
  got("t6", "ok"),
  use("t7", "Task", "subagent", "Find other places that round money", { prompt: "…" }),
  use("s1", "Grep", "search", "toFixed\\(", {}, inSub),
  got("s1", "templates/invoice.hbs:88", false, inSub),
  use("s2", "Read", "read", "templates/invoice.hbs", {}, inSub),
  got("s2", "88  {{toFixed line.total 2}}", false, inSub),
  ev("text", { text: "One other place: the invoice template rounds each line on its own.", ...inSub }),
  got("t7", "One other place: templates/invoice.hbs:88 rounds each line on its own."),
  use("t8", "mcp__jira__comment", "mcp", "jira: comment", { issue: "SHOP-91", body: "Rounding moved to the end" }),
  got("t8", "commented"),
  ev("plan", {
    entries: [
      { text: "Find where it is rounded", status: "completed" },
      { text: "Round once, at the end", status: "completed" },
      { text: "Run all tests", status: "in_progress" },
      { text: "Ask about the PDF template", status: "pending" }
    ]
  }),
  ev("usage", { usage: { inputTokens: 12_000, outputTokens: 900 }, totalCostUsd: 0.14 }),
  use("t9", "Bash", "command", "npm test", { command: "npm test" })
]
const closed = [got("t9", "ℹ tests 214\nℹ pass 214\nℹ fail 0"), say(answer), done()]

/** Pieces of a few characters, as a model gives them. */
export const pieces = (answer.match(/[\s\S]{1,14}/g) ?? []).map((piece) => say(piece))
export const beforeAnswer = [...toolRows, ...closed.slice(0, 1)]

const exactScope = (covers: string) => [{ id: "exact", label: "this exact request", covers }]
const allOf = (current: string, of: Scenario): Scenario => ({ current, ...of })
const decided = (requestId: string, fields: object) => ev("permission_decision", { requestId, ...fields })
const second = (id: string, agent: string, model: string) => run({ turn: id, agent, model, message: undefined })

export const scenarios: Readonly<Record<string, Scenario>> = {
  empty: {
    current: "",
    state: { conversations: [], budget: { ...baseState.budget, spent: 0, reserved: 0 } },
    rows: []
  },
  none: {
    current: "",
    state: {
      conversations: [],
      budget: undefined,
      agents: [
        { id: "demo", name: "Demo agent", version: "1" },
        ...agents.map(({ id, name }) => ({ id, name, install: installs[id] }))
      ],
      directories: [{ name: "shop", path: "~/code/shop" }],
      defaults: { agent: "demo", directory: "shop" }
    },
    rows: []
  },
  working: { rows: toolRows },
  answer: { rows: [...toolRows, ...closed] },
  queue: {
    rows: [
      ...toolRows,
      me("m2", "Use BigInt if it is simpler.", { state: "taken" }),
      me("m3", "And leave the public API as it is.", { state: "steering" }),
      me("m4", "Then write the changelog entry.", { state: "queued", place: 1 }),
      me(
        "m5",
        "Then bump the version to 2.3.2 and tag it, but do not push: I want to read the diff first, on the train.",
        { state: "queued", place: 2 }
      )
    ]
  },
  approval: allOf("c2", {
    rows: [
      me("m1", "Build and publish 2.4.0."),
      run({ agent: "codex", model: "gpt-5.2-codex" }),
      say("The build is green. Publishing needs the network, which the sandbox does not have."),
      ask("r1", {
        toolName: "shell",
        kind: "command",
        title: "Build, pack and upload the release",
        command: longCommand,
        input: { command: longCommand },
        reason: "Needs network access to deploy.example.com",
        directory: "/home/ann/code/shop",
        escalated: true,
        scopes: exactScope("this exact command, in shop, outside the sandbox, until this session ends")
      })
    ]
  }),
  approvals: allOf("c2", {
    rows: [
      me("m1", "Clean up and tell the team."),
      run(),
      session(),
      ask("r1", {
        toolName: "Bash",
        kind: "command",
        title: "npm test",
        command: "npm test",
        directory: "/home/ann/code/shop"
      }),
      decided("r1", { decision: "allow", by: "rule" }),
      ask("r2", {
        toolName: "Bash",
        kind: "command",
        title: "git push --force",
        command: "git push --force origin main",
        directory: "/home/ann/code/shop"
      }),
      decided("r2", {
        decision: "deny",
        by: "caller",
        person: "Ann",
        where: "telegram",
        message: "Never force main. Open a pull request."
      }),
      ask("r3", {
        toolName: "WebFetch",
        kind: "web",
        title: "https://example.com/spec",
        input: { url: "https://example.com/spec" }
      }),
      decided("r3", { decision: "deny", by: "deadline" }),
      ask("r4", { toolName: "Bash", kind: "command", title: "ls", command: "ls" }),
      decided("r4", { decision: "withdrawn", by: "agent" }),
      ask("r5", {
        toolName: "Edit",
        kind: "file_change",
        title: file,
        input: { file_path: file },
        paths: [file],
        edits,
        scopes: [
          { id: "exact", label: "this exact edit", covers: "this exact edit, until this session ends" },
          { id: "file", label: "this file", covers: "every edit of src/cart/total.ts, until this session ends" },
          { id: "folder", label: "this folder", covers: "every edit below src/cart/, until this session ends" }
        ]
      }),
      ask("r6", {
        toolName: "mcp__db__execute",
        kind: "mcp",
        title: "db: execute",
        input: { database: "production", sql: "DROP TABLE carts; -- \u202e\u2066cleanup of test data\u2069" },
        doubt: "The call names another tool than the one that was announced."
      }),
      ask("r7", {
        toolName: "Write",
        kind: "command",
        title: "A script of 64 lines",
        command: Array.from({ length: 64 }, (_, i) =>
          i === 62 ? "rm -rf ~/backup" : `echo "step ${i + 1} of 64"`
        ).join("\n"),
        directory: "/home/ann/code/shop",
        scopes: exactScope("this exact command, in shop, until this session ends")
      })
    ]
  }),
  plan: allOf("c6", {
    rows: [
      me("m1", "Move the queue from Redis to PostgreSQL. Plan first."),
      run({ mode: "plan" }),
      say("I read the worker and both call sites."),
      ask("r1", { toolName: "ExitPlanMode", kind: "plan", title: "The plan", plan })
    ]
  }),
  question: {
    rows: [
      me("m1", "Add a currency switch to the cart."),
      run(),
      say("Two things before I begin."),
      ev("question", {
        requestId: "q1",
        deadlineMs: Date.now() + 300_000,
        questions: [
          {
            question: "Where shall the rates come from?",
            header: "Rates",
            multiple: false,
            freeText: true,
            options: [
              { label: "European Central Bank", description: "Free, once a day, 30 currencies" },
              { label: "The payment provider", description: "What is charged is what is shown" }
            ]
          },
          {
            question: "Which currencies?",
            header: "Currencies",
            multiple: true,
            freeText: false,
            options: [
              { label: "EUR" },
              { label: "USD" },
              { label: "GBP" },
              { label: "JPY", description: "No decimals: touches the rounding" }
            ]
          }
        ]
      })
    ]
  },
  errors: allOf("c3", {
    state: { budget: { ...baseState.budget, spent: 4.71, reserved: 0.2 } },
    rows: [
      me("m1", "Why does the nightly build fail on arm64?"),
      run({ agent: "gemini", model: "gemini-3-pro", message: "m1" }),
      ev("notice", { kind: "retry", message: "The model is overloaded; trying again in 8 s (2 of 5)" }),
      ev("notice", { kind: "model_fallback", message: "gemini-3-pro is not available: gemini-3-flash answers" }),
      say("The runner has no"),
      ev("notice", {
        kind: "text_voided",
        message: "The answer began again; 17 characters were withdrawn",
        data: { characters: 17 }
      }),
      say("The arm64 image lacks `libvips`."),
      ev("error", {
        message: "You have used up your quota for gemini-3-pro.",
        code: "RESOURCE_EXHAUSTED",
        category: "rate_limit",
        retryable: true,
        retryAfterMs: 1_500_000
      }),
      done({ outcome: "failed", reason: "agent_failed", durationMs: 9000, totalCostUsd: 0.02 }),
      me("m2", "Then try with Claude."),
      second("turn-2", "claude", "opus-4.5"),
      ev(
        "error",
        {
          message: "Not signed in.",
          code: "authentication_failed",
          category: "auth",
          retryable: false,
          help: "Run `claude` in a terminal of that machine and sign in; then press Again."
        },
        "turn-2"
      ),
      done({ outcome: "failed", reason: "agent_failed", durationMs: 900, totalCostUsd: undefined }, "turn-2"),
      me("m3", "And now?"),
      second("turn-3", "codex", "gpt-5.2-codex"),
      say("I'll compare the two images layer by", "turn-3"),
      ev(
        "error",
        { message: "codex ended in mid-answer (signal SIGKILL).", code: "killed", category: "crash", retryable: true },
        "turn-3"
      ),
      done(
        {
          outcome: "failed",
          reason: "killed",
          durationMs: 10_000,
          stderrTail: "thread 'main' panicked at core/src/exec.rs:412\nmemory allocation of 8589934592 bytes failed",
          totalCostUsd: 0.04
        },
        "turn-3"
      )
    ]
  }),
  stopped: {
    rows: [
      me("m4", "Stop, I see it."),
      run(),
      say("The image is built from"),
      done({ outcome: "aborted", reason: "aborted", aborted: true, durationMs: 2000, totalCostUsd: 0.01 })
    ]
  },
  interrupted: allOf("c6", {
    rows: [
      me("m0", "Which tables would it need?"),
      { row: "host", what: "missing", text: "An answer may be missing here." },
      me("m1", "Go ahead with step 1."),
      run({ message: "m1" }),
      session(),
      say("Writing the migration."),
      use(
        "t1",
        "Write",
        "file_change",
        "/home/ann/code/shop/migrations/0042_jobs.sql",
        {},
        {
          edits: [
            {
              path: "/home/ann/code/shop/migrations/0042_jobs.sql",
              after:
                "create table jobs (\n  id bigserial primary key,\n  state text not null,\n  run_at timestamptz not null\n);\n"
            }
          ]
        }
      ),
      got("t1", "ok"),
      use("t2", "Bash", "command", "npm run migrate -- --to 42", { command: "npm run migrate -- --to 42" }),
      {
        row: "host",
        what: "interrupted",
        turn: "turn-1",
        text: "The host was restarted while the agent worked. It may have changed files; nothing was run again."
      }
    ]
  }),
  attachments: {
    rows: [
      me("m1", "This is the receipt.", {
        files: [
          { fileId: "f1", name: "receipt.png", kind: "image", bytes: 402_311 },
          { fileId: "f2", name: "log.txt", kind: "document", bytes: 1204 }
        ]
      }),
      run(),
      say("The receipt shows 1.00, the log 0.99: the receipt is right."),
      {
        row: "said",
        key: "s1",
        text: "Here is the corrected one.",
        blocks: blocksOf("Here is the **corrected** one."),
        file: { fileId: "f3", name: "receipt-corrected.pdf", kind: "document", bytes: 88_214 }
      },
      done({ durationMs: 4100, totalCostUsd: 0.01 })
    ]
  },
  budget: {
    state: { budget: { ...baseState.budget, spent: 4.93, reserved: 0 } },
    rows: [
      me("m1", "Now the same for the invoices."),
      run({ message: "m1" }),
      ev("error", {
        message: "This run reserves $0.50, and $0.07 of today's $5.00 is left.",
        code: "budget_exceeded",
        category: "billing",
        retryable: false,
        help: "It is free again tomorrow at 00:00. A cheaper model reserves less."
      }),
      done({ outcome: "failed", reason: "budget_exceeded", durationMs: 3, totalCostUsd: undefined, usage: undefined })
    ]
  },
  rtl: allOf("c5", {
    rows: [
      me("m1", "المجموع في السلة خاطئ بمقدار سنت واحد. أصلحه من فضلك."),
      run(),
      session(),
      use("t6", "Edit", "file_change", file, {}, { edits, paths: [file] }),
      got("t6", "ok"),
      say(arabic),
      ask("r1", {
        toolName: "Bash",
        kind: "command",
        title: "npm test",
        command: "npm test -- test/cart",
        directory: "/home/ann/code/shop",
        scopes: exactScope("this exact command, in shop, until this session ends")
      })
    ]
  })
}
