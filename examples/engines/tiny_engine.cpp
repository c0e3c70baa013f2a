/* A small engine in C++: the line protocol of docs/ENGINES.md, and the conformance suite without Python.
 *
 *     c++ -std=c++17 -O2 -o tiny_engine tiny_engine.cpp
 *
 * bgfast starts it as program:./tiny_engine. `./tiny_engine bgfast-suite-1.txt` runs the cases of the standard rules.
 */
#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using Board = std::array<int, 26>; /* 25 the mover's bar, 24 to 1 the points, 0 the opponent's bar */
using Boards = std::set<Board>;
using Played = std::pair<size_t, Boards>; /* number of dice played, boards */
constexpr int BAR = 25, HOME = 6;

/* Add the boards after each move of one checker with this die. */
static void add_moves(Boards &boards, const Board &board, int die)
{
    int rearmost = BAR;
    while (board[rearmost] <= 0 && rearmost > 1)
        rearmost--;
    const int last = board[BAR] > 0 ? BAR : 1;
    for (int from = rearmost; from >= last; from--) {
        const int to = from - die;
        if (board[from] <= 0)
            continue;
        if (to > 0 ? board[to] < -1 : rearmost > HOME || (to < 0 && from != rearmost))
            continue;
        Board after = board;
        after[from]--;
        if (to > 0 && after[to]++ == -1) { /* a hit */
            after[to] = 1;
            after[0]--;
        }
        boards.insert(after);
    }
}

/* Play these dice in this order as far as possible. */
static Played play(const Board &board, const std::vector<int> &dice)
{
    Boards boards{board};
    for (size_t played = 0; played < dice.size(); played++) {
        Boards next;
        for (const Board &before : boards)
            add_moves(next, before, dice[played]);
        if (next.empty())
            return {played, boards};
        boards = next;
    }
    return {dice.size(), boards};
}

/* The legal plays of a roll: as many dice as possible, and of two the higher if only one of them can be played. */
static Boards successors(const Board &board, int a, int b)
{
    const int high = std::max(a, b), low = std::min(a, b);
    Played played = play(board, high == low ? std::vector<int>(4, high) : std::vector<int>{high, low});
    if (high != low) {
        const Played low_first = play(board, {low, high});
        if (low_first.first > played.first)
            played = low_first;
        else if (low_first.first == 2)
            played.second.insert(low_first.second.begin(), low_first.second.end());
    }
    return played.first ? played.second : Boards{};
}

/* Read the comma-separated whole numbers at the beginning of a text. */
static std::vector<int> numbers(const std::string &text)
{
    std::vector<int> values;
    std::istringstream stream(text);
    for (int number; stream >> number; stream.get())
        values.push_back(number);
    return values;
}

static Boards of_texts(const std::string &board_text, const std::string &roll_text)
{
    Board board;
    const std::vector<int> points = numbers(board_text), roll = numbers(roll_text);
    std::copy_n(points.begin(), board.size(), board.begin());
    return successors(board, roll[0], roll[1]);
}

/* The hash of docs/SUITE.md. */
static std::uint64_t hash_of(const Boards &boards)
{
    std::uint64_t total = 0;
    for (const Board &board : boards) {
        std::uint64_t value = 0xcbf29ce484222325;
        for (int number : board)
            value = (value ^ (number & 255)) * 0x100000001b3;
        value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
        value = (value ^ value >> 27) * 0x94d049bb133111eb;
        total += value ^ value >> 31;
    }
    return total;
}

static int run_suite(const char *path)
{
    std::ifstream file(path);
    int passed = 0, failed = 0, skipped = 0;
    for (std::string line; std::getline(file, line);) {
        std::istringstream fields(line);
        std::string keyword, id, rules, board, roll, count, hash;
        if (!(fields >> keyword >> id >> rules >> board >> roll >> count >> hash) || keyword != "case")
            continue;
        const Boards boards = rules == "standard" ? of_texts(board, roll) : Boards{};
        const bool right = boards.size() == std::stoul(count) && hash_of(boards) == std::stoull(hash, nullptr, 16);
        ++(rules != "standard" ? skipped : right ? passed : failed);
        if (rules == "standard" && !right)
            std::cout << id << '\n';
    }
    std::cout << passed << " passed, " << failed << " failed, " << skipped << " of other rules\n";
    return failed || !passed;
}

int main(int count, char **arguments)
{
    if (count > 1)
        return run_suite(arguments[1]);
    for (std::string line; std::getline(std::cin, line);) {
        const auto after = [&line](const char *key) { return line.substr(line.find(key) + std::string(key).size()); };
        if (line.find("\"hello\"") != std::string::npos) {
            std::cout << R"({"name":"tiny in C++","version":"1"})" << std::endl;
            continue;
        }
        std::cout << R"({"id":)" << numbers(after("\"id\":"))[0] << R"(,"successors":[)";
        const char *comma = "";
        for (const Board &board : of_texts(after("\"board\":["), after("\"roll\":["))) {
            std::cout << comma;
            for (size_t i = 0; i < board.size(); i++)
                std::cout << (i ? "," : "[") << board[i];
            std::cout << ']';
            comma = ",";
        }
        std::cout << "]}" << std::endl;
    }
}
