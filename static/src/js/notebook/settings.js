// Title and settings of a notebook: each change is saved at once, and says so.
import { Problem, patch, remove } from "../lib/api.js";
import { one } from "../lib/dom.js";
import { fill, gettext } from "../lib/i18n.js";
import { confirmAct } from "../components/dialog.js";
import { toast } from "../components/toast.js";

export function installSettings(pane, title, { address }) {
  const saved = one("[data-saved]", pane);
  let timer = 0;

  async function save(changes) {
    try {
      const notebook = await patch(address, changes);
      say(gettext("Saved"));
      return notebook;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      toast(error.sentence);
      return null;
    }
  }

  function say(words) {
    clearTimeout(timer);
    saved.textContent = words;
    timer = setTimeout(() => { saved.textContent = ""; }, 3000);
  }

  pane.addEventListener("change", async ({ target }) => {
    if (!target.matches('input[type="radio"]')) return;
    const notebook = await save({ [target.name]: target.value });
    if (!notebook) return location.reload();
    // Another conversation stands behind the other mode: show that one.
    return target.name === "conversation_mode" ? location.reload() : undefined;
  });

  if (title) installTitle(title, save);

  one("[data-delete]", pane)?.addEventListener("click", async () => {
    const meant = await confirmAct({
      title: gettext("Delete this notebook?"),
      text: gettext("Its conversation and everything read for it go. The records of the library stay. This cannot be undone."),
      action: gettext("Delete the notebook"),
    });
    if (!meant) return;
    await remove(address).then(() => location.assign("/notebooks"), (error) => toast(error.message));
  });
}

function installTitle(title, save) {
  let kept = title.value;
  const settle = async () => {
    const wished = title.value.trim();
    if (!wished || wished === kept) {
      title.value = kept;
      return;
    }
    const notebook = await save({ title: wished });
    kept = notebook?.title ?? kept;
    title.value = kept;
    document.title = fill("%(title)s · Quadern", { title: kept });
  };
  title.addEventListener("blur", settle);
  title.addEventListener("keydown", (event) => {
    if (event.key === "Enter") title.blur();
    if (event.key === "Escape") {
      title.value = kept;
      title.blur();
    }
  });
}
