// ViennaCL on our platform: vectors, dense and sparse matrices, solvers, against plain loops on the host.
#define VIENNACL_WITH_OPENCL
#include <viennacl/compressed_matrix.hpp>
#include <viennacl/coordinate_matrix.hpp>
#include <viennacl/ell_matrix.hpp>
#include <viennacl/hyb_matrix.hpp>
#include <viennacl/linalg/bicgstab.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/direct_solve.hpp>
#include <viennacl/linalg/gmres.hpp>
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/jacobi_precond.hpp>
#include <viennacl/linalg/lu.hpp>
#include <viennacl/linalg/maxmin.hpp>
#include <viennacl/linalg/norm_1.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/norm_inf.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/linalg/sum.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/matrix_proxy.hpp>
#include <viennacl/vector.hpp>
#include <viennacl/vector_proxy.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <vector>

#ifndef REAL
#define REAL float
#endif
using real = REAL;
static const double tolerance = sizeof(real) == sizeof(double) ? 1e-11 : 1e-4;
static const double residual = sizeof(real) == sizeof(double) ? 1e-14 : 1e-7; // at which the solvers stop

using host_vector = std::vector<real>;
using host_matrix = std::vector<host_vector>;

static int passed, failed;

static void check(const char *what, bool good)
{
    (good ? passed : failed)++;
    if (!good)
        std::printf("FAIL %s\n", what);
}

static void check_near(const char *what, real got, double expected)
{
    bool good = std::fabs(got - expected) <= tolerance * std::max(1.0, std::fabs(expected));
    if (!good)
        std::printf("%s: %g, expected %g\n", what, got, expected);
    check(what, good);
}

static void check_near(const char *what, const viennacl::vector_base<real> &got, const std::vector<double> &expected)
{
    host_vector host(got.size());
    viennacl::copy(got.begin(), got.end(), host.begin());
    bool good = host.size() == expected.size();
    for (size_t i = 0; good && i < host.size(); i++)
        good = std::fabs(host[i] - expected[i]) <= 2 * tolerance * std::max(1.0, std::fabs(expected[i]));
    check(what, good);
}

static std::mt19937 engine(1);

static host_vector random_vector(size_t n)
{
    std::uniform_real_distribution<real> between(-1, 1);
    host_vector v(n);
    for (real &x : v)
        x = between(engine);
    return v;
}

static host_matrix random_matrix(size_t rows, size_t columns)
{
    host_matrix m;
    for (size_t i = 0; i < rows; i++)
        m.push_back(random_vector(columns));
    return m;
}

static viennacl::vector<real> to_device(const host_vector &host)
{
    viennacl::vector<real> v(host.size());
    viennacl::copy(host, v);
    return v;
}

template <class Matrix> static void load(const host_matrix &host, Matrix &m)
{
    m = Matrix(host.size(), host[0].size());
    viennacl::copy(host, m);
}

static std::vector<double> times(const host_matrix &a, const host_vector &x)
{
    std::vector<double> y;
    for (const host_vector &row : a) {
        double sum = 0;
        for (size_t i = 0; i < x.size(); i++)
            sum += double(row[i]) * x[i];
        y.push_back(sum);
    }
    return y;
}

static void vectors(size_t n)
{
    host_vector a = random_vector(n), b = random_vector(n);
    viennacl::vector<real> x = to_device(a), y = to_device(b), z(n);
    double dot = 0, one = 0, two = 0, most = 0, sum = 0, high = -9, low = 9;
    std::vector<double> axpy(n), product(n), sine(n);
    for (size_t i = 0; i < n; i++) {
        dot += double(a[i]) * b[i];
        one += std::fabs(a[i]);
        two += double(a[i]) * a[i];
        most = std::max(most, std::fabs(double(a[i])));
        sum += a[i];
        high = std::max(high, double(a[i]));
        low = std::min(low, double(a[i]));
        axpy[i] = 2.5 * a[i] - b[i] / 4;
        product[i] = double(a[i]) * b[i] + a[i];
        sine[i] = std::sin(a[i]) + std::exp(b[i]);
    }
    check_near("inner_prod", viennacl::linalg::inner_prod(x, y), dot);
    check_near("norm_1", viennacl::linalg::norm_1(x), one);
    check_near("norm_2", viennacl::linalg::norm_2(x), std::sqrt(two));
    check_near("norm_inf", viennacl::linalg::norm_inf(x), most);
    check_near("sum", viennacl::linalg::sum(x), sum);
    check_near("max", viennacl::linalg::max(x), high);
    check_near("min", viennacl::linalg::min(x), low);
    check("index_norm_inf", std::fabs(a[viennacl::linalg::index_norm_inf(x)]) == real(most));
    z = 2.5f * x - y / 4.0f;
    check_near("axpy", z, axpy);
    z = viennacl::linalg::element_prod(x, y) + x;
    check_near("element_prod", z, product);
    z = viennacl::linalg::element_sin(x) + viennacl::linalg::element_exp(y);
    check_near("element_sin, element_exp", z, sine);
    if (n > 20) {
        viennacl::vector_slice<viennacl::vector<real>> part(x, viennacl::slice(1, 2, n / 2 - 1));
        double part_sum = 0;
        for (size_t i = 0; i < n / 2 - 1; i++)
            part_sum += a[1 + 2 * i];
        check_near("slice", viennacl::linalg::sum(part), part_sum);
    }
}

template <class Layout> static void matrices(const char *layout, size_t m, size_t n, size_t k)
{
    host_matrix a = random_matrix(m, k), b = random_matrix(k, n);
    viennacl::matrix<real, Layout> A, B, C(m, n);
    load(a, A);
    load(b, B);
    host_vector x = random_vector(k), y = random_vector(m);
    viennacl::vector<real> u = to_device(x), v = to_device(y), w(m);
    w = viennacl::linalg::prod(A, u);
    check_near("gemv", w, times(a, x));
    host_matrix transposed(k, host_vector(m));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < k; j++)
            transposed[j][i] = a[i][j];
    viennacl::vector<real> t(k);
    t = viennacl::linalg::prod(trans(A), v);
    check_near("gemv, transposed", t, times(transposed, y));

    C = viennacl::linalg::prod(A, B);
    host_matrix c(m, host_vector(n));
    viennacl::copy(C, c);
    bool good = true;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += double(a[i][l]) * b[l][j];
            good &= std::fabs(c[i][j] - sum) < 1e-3;
        }
    check(layout, good);

    viennacl::matrix<real, Layout> D = A; // rank 1
    D += viennacl::linalg::outer_prod(v, u);
    host_matrix d(m, host_vector(k));
    viennacl::copy(D, d);
    good = true;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < k; j++)
            good &= std::fabs(d[i][j] - (a[i][j] + y[i] * x[j])) < 1e-5;
    check("outer_prod", good);
}

static void dense_solvers(size_t n)
{
    host_matrix a = random_matrix(n, n);
    for (size_t i = 0; i < n; i++)
        a[i][i] += real(n);
    host_vector x = random_vector(n);
    std::vector<double> exact(x.begin(), x.end()), right = times(a, x);
    viennacl::matrix<real> A;
    load(a, A);
    viennacl::vector<real> b = to_device(host_vector(right.begin(), right.end()));
    viennacl::linalg::lu_factorize(A);
    viennacl::linalg::lu_substitute(A, b);
    check_near("lu", b, exact);

    load(a, A);
    host_matrix upper = a;
    for (size_t i = 0; i < n; i++)
        std::fill(upper[i].begin(), upper[i].begin() + long(i), 0.0f);
    right = times(upper, x);
    b = to_device(host_vector(right.begin(), right.end()));
    viennacl::vector<real> solved = viennacl::linalg::solve(A, b, viennacl::linalg::upper_tag());
    check_near("upper triangle", solved, exact);
}

// The five-point stencil with a slant, so that it is not symmetric, or without.
template <class Matrix> static void sparse(const char *kind, int side, real slant)
{
    int n = side * side;
    std::vector<std::map<unsigned, real>> a((size_t)n);
    for (int i = 0; i < n; i++) {
        a[i][i] = 4.5f;
        if (i % side)
            a[i][i - 1] = -1 - slant;
        if (i % side != side - 1)
            a[i][i + 1] = -1 + slant;
        if (i >= side)
            a[i][i - side] = -1;
        if (i < n - side)
            a[i][i + side] = -1;
    }
    host_vector x = random_vector(size_t(n));
    std::vector<double> right(size_t(n), 0), exact(x.begin(), x.end());
    for (int i = 0; i < n; i++)
        for (auto entry : a[i])
            right[i] += double(entry.second) * x[entry.first];
    Matrix A;
    viennacl::copy(a, A);
    viennacl::vector<real> u = to_device(x), b(n), r(n);
    b = viennacl::linalg::prod(A, u);
    check_near(kind, b, right);
    using namespace viennacl::linalg;
    if (slant == 0)
        check_near("cg", viennacl::vector<real>(solve(A, b, cg_tag(residual, 300))), exact);
    check_near("bicgstab", viennacl::vector<real>(solve(A, b, bicgstab_tag(residual, 300))), exact);
    check_near("gmres", viennacl::vector<real>(solve(A, b, gmres_tag(residual, 300, 20))), exact);
}

static void preconditioned(int side)
{
    int n = side * side;
    viennacl::compressed_matrix<real> A(n, n);
    std::vector<std::map<unsigned, real>> a((size_t)n);
    for (int i = 0; i < n; i++) {
        a[i][i] = 3.0f + real(i % 7);
        if (i)
            a[i][i - 1] = a[i - 1][i] = -0.5f;
    }
    viennacl::copy(a, A);
    host_vector x = random_vector(size_t(n));
    viennacl::vector<real> u = to_device(x), b = viennacl::linalg::prod(A, u);
    viennacl::linalg::jacobi_precond<viennacl::compressed_matrix<real>> jacobi(A, viennacl::linalg::jacobi_tag());
    check_near("cg with jacobi",
               viennacl::vector<real>(viennacl::linalg::solve(A, b, viennacl::linalg::cg_tag(residual, 300), jacobi)),
               std::vector<double>(x.begin(), x.end()));
}

int main()
{
    std::printf("%s\n", viennacl::ocl::current_device().name().c_str());
    for (size_t n : {1, 33, 1000, 30000})
        vectors(n);
    matrices<viennacl::row_major>("gemm by rows", 33, 47, 65);
    matrices<viennacl::column_major>("gemm by columns", 33, 47, 65);
    matrices<viennacl::row_major>("gemm by rows", 128, 64, 128);
    dense_solvers(60);
    sparse<viennacl::compressed_matrix<real>>("compressed_matrix", 20, 0);
    sparse<viennacl::compressed_matrix<real>>("compressed_matrix", 20, real(0.25));
    sparse<viennacl::coordinate_matrix<real>>("coordinate_matrix", 20, 0);
    sparse<viennacl::ell_matrix<real>>("ell_matrix", 20, real(0.25));
    sparse<viennacl::hyb_matrix<real>>("hyb_matrix", 20, real(0.25));
    preconditioned(20);
    std::printf("ViennaCL in %s: %d checks passed, %d failed\n", sizeof(real) == sizeof(double) ? "double" : "single",
                passed, failed);
    return failed != 0;
}
