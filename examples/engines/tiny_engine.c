/* A small engine that bgfast can ask: the line protocol of docs/ENGINES.md and a generator of its own.
 *
 *     cc -O2 -o tiny_engine tiny_engine.c
 *
 * bgfast starts it as program:./tiny_engine. The keys of a request have a fixed order and no spaces between them:
 * strstr and strtol suffice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 25, NUMBERS = 26, MAX_PLAYS = 3060, MAX_LINE = 1 << 16 };

typedef struct {
    int n, dice; /* number of boards, number of dice played */
    signed char boards[MAX_PLAYS][NUMBERS];
} List;

static List levels[2][5], all;

static void add(List *list, const signed char *board)
{
    for (int i = 0; i < list->n; i++)
        if (!memcmp(list->boards[i], board, NUMBERS))
            return;
    memcpy(list->boards[list->n++], board, NUMBERS);
}

/* Add the boards after each move of one checker with this die. */
static void add_moves(List *list, const signed char *board, int die)
{
    int rearmost = 24;
    while (rearmost > 0 && board[rearmost] <= 0)
        rearmost--;
    for (int from = board[BAR] > 0 ? BAR : rearmost; from > 0; from--) {
        int to = from - die;
        signed char after[NUMBERS];
        if (board[BAR] > 0 && from < BAR)
            break;
        if (board[from] <= 0)
            continue;
        if (to > 0 ? board[to] < -1 : rearmost > 6 || (to < 0 && from != rearmost))
            continue;
        memcpy(after, board, NUMBERS);
        after[from]--;
        if (to > 0 && board[to] == -1) { /* a hit: the checker goes to the opponent's bar, index 0 */
            after[to] = 0;
            after[0]--;
        }
        if (to > 0)
            after[to]++;
        add(list, after);
    }
}

/* Play these dice in this order as far as possible; return the last list that is not empty. */
static List *play(List *level, const signed char *board, const int *dice, int number)
{
    memset(level, 0, sizeof levels[0]);
    add(&level[0], board);
    for (int d = 0; d < number; d++) {
        for (int i = 0; i < level[d].n; i++)
            add_moves(&level[d + 1], level[d].boards[i], dice[d]);
        if (!level[d + 1].n)
            return &level[d];
        level[d + 1].dice = d + 1;
    }
    return &level[number];
}

/* The legal plays of a roll: as many dice as possible, and of two the higher if only one of them can be played. */
static const List *successors(const signed char *board, int a, int b)
{
    int high = a > b ? a : b, low = a > b ? b : a;
    const List *high_first, *low_first;
    if (high == low)
        return play(levels[0], board, (int[]){a, a, a, a}, 4);
    high_first = play(levels[0], board, (int[]){high, low}, 2);
    low_first = play(levels[1], board, (int[]){low, high}, 2);
    if (high_first->dice != low_first->dice)
        return high_first->dice > low_first->dice ? high_first : low_first;
    if (high_first->dice < 2)
        return high_first;
    all = *high_first;
    for (int i = 0; i < low_first->n; i++)
        add(&all, low_first->boards[i]);
    return &all;
}

/* Read the list of numbers after a key. */
static void numbers(const char *line, const char *key, int *values, int count)
{
    char *at = strstr(line, key) + strlen(key);
    while (count--)
        *values++ = (int)strtol(at, &at, 10), at++;
}

int main(void)
{
    static char line[MAX_LINE];
    while (fgets(line, sizeof line, stdin)) {
        int id, read[NUMBERS], roll[2];
        signed char board[NUMBERS];
        const List *list;
        if (strstr(line, "\"hello\"")) {
            puts("{\"name\":\"tiny in C\",\"version\":\"1\"}");
            fflush(stdout);
            continue;
        }
        numbers(line, "\"id\":", &id, 1);
        numbers(line, "\"board\":[", read, NUMBERS);
        numbers(line, "\"roll\":[", roll, 2);
        for (int i = 0; i < NUMBERS; i++)
            board[i] = (signed char)read[i];
        list = successors(board, roll[0], roll[1]);
        printf("{\"id\":%d,\"successors\":[", id);
        for (int i = 0; list->dice && i < list->n; i++) {
            for (int k = 0; k < NUMBERS; k++)
                printf("%s%d", k ? "," : i ? ",[" : "[", list->boards[i][k]);
            putchar(']');
        }
        puts("]}");
        fflush(stdout);
    }
    return 0;
}
