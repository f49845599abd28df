// A record: more files, more links, and taking one off again.
import { confirmAct } from "../components/dialog.js";
import { createLinks } from "../components/links.js";
import { toast } from "../components/toast.js";
import { createUploader } from "../components/uploader.js";
import { remove } from "../lib/api.js";
import { all, one } from "../lib/dom.js";
import { fill, gettext } from "../lib/i18n.js";

const uploads = one("[data-uploads]");
createUploader(uploads, { onFinish: () => location.reload() });
createLinks(one("#links-dialog"), () => location.reload());
for (const button of all("[data-choose-files]")) button.addEventListener("click", () => one("[data-files]", uploads).click());

for (const button of all("[data-remove]")) {
  button.addEventListener("click", async () => {
    const meant = await confirmAct({
      title: fill(gettext("Remove “%(name)s”?"), { name: button.dataset.name }),
      text: gettext("Notebooks stop answering from it at their next update. Old answers can still open what they cited."),
      action: gettext("Remove"),
    });
    if (!meant) return;
    await remove(button.dataset.remove).then(() => location.reload(), (error) => toast(error.message));
  });
}
