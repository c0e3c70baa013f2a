// Copy buttons at XGIDs, and a dialog that plays through the match of the page.
"use strict";
(async () => {
  const { abs, max, min } = Math;

  // Add an element, HTML or SVG as its parent; texts are never parsed.
  const add = (parent, name, attributes = {}, text = "") => {
    const node = document.createElementNS(parent.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.textContent = text;
    return parent.appendChild(node);
  };

  // ---- copy buttons ----

  const copy = async (text, button) => {
    let isCopied = true;
    try {
      await navigator.clipboard.writeText(text.textContent);
    } catch { // missing in insecure contexts, or not permitted
      getSelection().selectAllChildren(text);
      isCopied = document.execCommand("copy");
    }
    button.textContent = isCopied ? "copied" : "selected";
    setTimeout(() => { button.textContent = "copy"; }, 2000);
  };

  for (const line of document.querySelectorAll(".id")) {
    const text = add(line, "span", {}, line.firstChild.data); // the selection excludes the button
    line.firstChild.data = "";
    line.append(" ");
    const button = add(line, "button", { type: "button", "aria-live": "polite" }, "copy");
    button.onclick = () => copy(text, button);
  }

  const dialog = document.getElementById("playback");
  if (!dialog) return;
  const find = (selector) => dialog.querySelector(selector);
  const packed = atob(document.getElementById("playback-data").textContent);
  const bytes = new Blob([Uint8Array.from(packed, (letter) => letter.charCodeAt())]);
  const { checkers, steps } = await new Response(bytes.stream().pipeThrough(new DecompressionStream("deflate"))).json();

  // ---- positions from the side of X: points 1 to 24, 25 its bar, 0 the bar of O ----

  const read = (xgid) => {
    const [letters, cube, owner, turn, dice, x, o, flags, length] = xgid.slice(5).split(":");
    const count = (letter) => letter === "-" ? 0 : (parseInt(letter, 36) - 9) * (letter < "a" ? 1 : -1);
    return {
      board: Array.from(letters, count), cube: 2 ** cube, owner: +owner, isX: turn === "1", dice, scores: [x, o],
      length: +length, game: flags & 1 ? +length ? "Crawford game" : "Jacoby rule" : "",
    };
  };
  const flipped = (board) => board.map((_, point) => -board[25 - point]);
  const sum = (board, weight) => board.reduce((total, number, point) => total + max(number, 0) * weight(point), 0);
  const pips = (board) => sum(board, (point) => point);
  const off = (board) => checkers - sum(board, () => 1);

  // ---- the board, laid out by its areas for clicks ----

  const svg = find("svg");
  const areas = Array.from(svg.querySelectorAll("[data-point]"), (rectangle) => {
    const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => +rectangle.getAttribute(name));
    return { x: x + width / 2, y, width, height };
  });
  const { y, height: room } = areas[1];
  const stack = 5, size = room / stack, top = areas[13].y, bottom = y + room, middle = (top + bottom) / 2;
  const between = (first, second) => (areas[first].x + areas[second].x) / 2;
  const labels = Array.from(svg.querySelectorAll("text"));
  const numbers = labels.splice(0, 24), [above, below, status] = labels;
  const note = svg.appendChild(status.cloneNode());
  note.removeAttribute("font-weight");
  const letters = +status.getAttribute("font-size");
  const names = [below, above].map((label) => label.textContent.replace(/: \d+ pips$/, ""));
  const layer = add(svg, "g");

  // Centre of a checker; the height is counted from the edge, on the bar from the middle.
  const spot = (point, height) => {
    const away = (min(height, stack - 1) + 0.5) * size, fromMiddle = middle - top - room + away;
    const ys = { 0: middle - fromMiddle, 25: middle + fromMiddle };
    return [areas[point || 25].x, ys[point] ?? (point <= 12 ? bottom - away : top + away)];
  };
  const colours = (isX) => {
    const name = isX ? "white" : "black";
    return { fill: `var(--${name})`, stroke: `var(--${name}-edge)` };
  };
  const rectangle = (x, y, width, height, attributes) =>
    add(layer, "rect", { x: x - width / 2, y, width, height, ...attributes });
  const circle = ([cx, cy], r, attributes) => add(layer, "circle", { cx, cy, r, ...attributes });
  const write = (x, y, text, fontSize, fill) => add(layer, "text", {
    x, y: y + 0.36 * fontSize, "font-size": fontSize, "text-anchor": "middle", fill, "font-weight": "bold",
  }, text);

  const drawCheckers = (board) => board.forEach((number, point) => {
    const count = abs(number);
    for (let height = 0; height < min(count, stack); height++) {
      circle(spot(point, height), size / 2 - 1, { ...colours(number > 0), "stroke-width": 1.5 });
    }
    if (count > stack) {
      write(...spot(point, stack), count, min(max(20, letters), 30), colours(number < 0).fill);
    }
  });

  const drawTray = (count, isX) => {
    const { x, width } = areas[0], slot = room / 15;
    for (let number = 0; number < count; number++) {
      const y = isX ? bottom - (number + 1) * slot : top + number * slot;
      rectangle(x, y + 0.5, width - 16, slot - 1, { ...colours(isX), rx: 2 });
    }
    const away = room + 0.7 * letters;
    if (count) write(x, isX ? bottom - away : top + away, count, letters, "var(--frame-text)");
  };

  const drawCube = ({ cube, owner, dice }) => {
    const isOffered = dice >= "A", edge = size / 2 + 2;
    const x = isOffered ? between(9, 10) : (areas[12].x - areas[12].width / 2) / 2 + 2;
    const y = isOffered || !owner ? middle : owner > 0 ? bottom - edge : top + edge;
    const face = String(isOffered ? 2 * cube : cube === 1 ? 64 : cube);
    rectangle(x, y - size / 2, size, size, { fill: "var(--cube)", stroke: "var(--black-edge)", rx: 6 });
    write(x, y, face, min(max(22, letters), 64 / face.length), "var(--cube-text)");
  };

  const drawDice = ({ dice, isX }) => [...dice].sort().reverse().forEach((die, index) => {
    const side = 34, x = (isX ? between(3, 4) : between(9, 10)) + (index ? 0.65 : -0.65) * side;
    rectangle(x, middle - side / 2, side, side, { ...colours(isX), "stroke-width": 1.5, rx: 6 });
    for (const cell of ["4", "08", "048", "0268", "02468", "023568"][die - 1]) { // in three rows of three
      const centre = [x + (cell % 3 - 1) * side / 4, middle + (Math.floor(cell / 3) - 1) * side / 4];
      circle(centre, 3.2, { fill: isX ? "var(--white-edge)" : "var(--white)" });
    }
  });

  // Draw an arrow, or a ring around a hit: a path of one corner.
  const drawPath = (path, isBest) => {
    const [fromX, fromY, x, y] = path.slice(-4), length = Math.hypot(x - fromX, y - fromY) || 1;
    if (path.length === 2) {
      circle(path, size / 2 - 1, { fill: "none", stroke: "var(--hit)", "stroke-width": 4 });
      return;
    }
    const across = (x - fromX) / length, down = (y - fromY) / length, [head, half] = isBest ? [16, 9] : [13, 7];
    const baseX = x - head * across, baseY = y - head * down, colour = `var(--${isBest ? "best" : "played"})`;
    add(layer, "polyline", {
      points: [...path.slice(0, -2), baseX, baseY], fill: "none", stroke: colour,
      ...(isBest ? { "stroke-width": 5, "stroke-linejoin": "round", "stroke-opacity": 0.85 }
        : { "stroke-width": 4, "stroke-dasharray": "9 5" }),
    });
    const sides = [1, -1].flatMap((side) => [baseX - side * half * down, baseY + side * half * across]);
    add(layer, "polygon", { points: [x, y, ...sides], fill: colour });
  };

  const drawLabels = ({ isX, scores, length, game }, sides, text) => {
    numbers.forEach((number, index) => { number.textContent = isX ? index + 1 : 24 - index; });
    [below, above].forEach((label, player) => {
      const score = length || scores.some(Number) ? `, score ${scores[player]}` : "";
      label.textContent = `${names[player]}: ${pips(sides[player])} pips${score}${length ? ` of ${length}` : ""}`;
      const line = isX === (player === 0) ? status : note;
      line.setAttribute("y", label.getAttribute("y"));
    });
    status.textContent = text;
    note.textContent = game;
  };

  // The checkers of a side in words, with its points.
  const description = (side, player) => {
    const stacks = side.map((number, point) => number > 0 && `${number} on ${point === 25 ? "the bar" : point}`);
    const all = [...stacks.reverse(), off(side) && `${off(side)} off`].filter(Boolean);
    return `${names[player]}: ${all.join(", ")}; ${pips(side)} pips.`;
  };

  // ---- steps ----

  let current = 0;

  const show = (index) => {
    current = min(max(index, 0), steps.length - 1);
    const { anchor, place, xgid, text, summary, why, arrows, choices } = steps[current];
    const position = read(xgid), { board, dice, game } = position, sides = [board, flipped(board)];
    layer.replaceChildren();
    drawCheckers(board);
    sides.forEach((side, player) => drawTray(off(side), player === 0));
    if (game !== "Crawford game") drawCube(position);
    if (dice > "1" && dice < "7") drawDice(position);
    arrows.forEach((paths, index) => paths.forEach((path) => drawPath(path, index === 0)));
    drawLabels(position, sides, text);
    svg.querySelector("desc").textContent = sides.map(description).join(" ");

    const table = find("table");
    table.querySelectorAll("tbody").forEach((body) => body.remove());
    for (const [role, chances, ...cells] of choices) {
      const body = add(table, "tbody", { class: role });
      const row = add(body, "tr");
      cells.forEach((cell) => add(row, "td", {}, cell));
      if (role === "best" || role === "played") add(row.firstChild, "small", {}, ` ${role}`);
      if (chances) add(add(body, "tr", { class: "chances" }), "td", { colspan: 4 }, chances);
    }
    find("[aria-live]").textContent = summary;
    find(".why").textContent = why;
    find("h2").textContent = place;
    find("header span").textContent = `${current + 1} of ${steps.length}`;
    find(".id span").textContent = xgid;
    if (!dialog.open) dialog.showModal();
    history.replaceState(null, "", `#${anchor}`); // last: some browsers refuse it after many steps
  };

  const showError = (direction) => {
    let index = current + direction;
    while (steps[index] && !steps[index].error) index += direction;
    if (steps[index]) show(index);
  };

  const go = {
    first: () => show(0),
    previous: () => show(current - 1),
    next: () => show(current + 1),
    last: () => show(Infinity),
    "previous-error": () => showError(-1),
    "next-error": () => showError(1),
    close: () => dialog.close(),
  };
  const keys = { Home: "first", ArrowLeft: "previous", ArrowRight: "next", End: "last" };

  dialog.onclick = ({ target }) => go[target.dataset.go]?.();
  document.onkeydown = (event) => { // the focus may be outside the dialog
    const { altKey, ctrlKey, metaKey, key } = event;
    if (!dialog.open || altKey || ctrlKey || metaKey || !(key in keys)) return;
    event.preventDefault();
    go[keys[key] + (event.shiftKey ? "-error" : "")]?.();
  };
  dialog.onclose = () => dialog.open || history.replaceState(null, "", location.href.split("#")[0]);

  let start = null; // of a swipe
  dialog.onpointerdown = (event) => { start = event; };
  dialog.onpointerup = ({ clientX, clientY, pointerType }) => {
    const across = clientX - start.clientX, down = clientY - start.clientY;
    if (pointerType !== "mouse" && abs(across) > max(40, 2 * abs(down))) {
      show(current + (across < 0 ? 1 : -1));
    }
  };

  // ---- links ----

  const places = new Map(steps.map(({ anchor }, index) => [`#${anchor}`, index]));
  const follow = (link) => places.has(link) && (show(places.get(link)), true);

  for (const place of document.querySelectorAll(".moves [id]")) {
    add(place, "a", { href: `#${place.id}` }).append(place.firstChild);
  }
  const opener = document.querySelector("button.playback");
  opener.hidden = false;
  opener.onclick = () => show(current);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a") ?? event.target.closest(".moves tr")?.querySelector("a");
    if (!event.ctrlKey && !event.metaKey && follow(link?.hash)) event.preventDefault();
  });
  addEventListener("hashchange", () => follow(location.hash));
  follow(location.hash);
})();
