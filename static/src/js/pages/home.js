// Greets by the clock of the reader, and lets new notebooks be made and running work be stopped.
import { openCreateDialog } from "../components/notebook-dialog.js";
import { toast } from "../components/toast.js";
import { get, post } from "../lib/api.js";
import { all, one } from "../lib/dom.js";
import { fill, gettext } from "../lib/i18n.js";

const greeting = one("[data-greeting]");
if (greeting) greeting.textContent = fill(greetingAt(new Date().getHours()), { name: greeting.dataset.greeting });

function greetingAt(hour) {
  if (hour < 5) return gettext("Good evening, %(name)s");
  if (hour < 12) return gettext("Good morning, %(name)s");
  if (hour < 19) return gettext("Good afternoon, %(name)s");
  return gettext("Good evening, %(name)s");
}

for (const button of all("[data-new-notebook]")) button.addEventListener("click", () => openCreateDialog());

for (const row of all("[data-running]")) watch(row);

function watch(row) {
  const cancel = one("[data-cancel]", row);
  cancel?.addEventListener("click", async () => {
    cancel.disabled = true;
    await post(`${row.dataset.running}/refresh/cancel`).catch((error) => toast(error.message));
  });
  const timer = setInterval(async () => {
    if (document.hidden) return;
    const notebook = await get(row.dataset.running).catch(() => null);
    if (notebook === null) return;
    if (notebook.progress === null) {
      clearInterval(timer);
      location.reload();
      return;
    }
    show(row, notebook.progress);
  }, 2000);
}

function show(row, { done, total, item, state }) {
  const bar = one("progress", row);
  bar.max = Math.max(1, total);
  bar.value = done;
  one("[data-count]", row).textContent = fill(gettext("%(done)s of %(total)s"), { done, total });
  one("[data-item]", row).textContent = state === "queued" ? gettext("Waiting its turn") : item;
}
